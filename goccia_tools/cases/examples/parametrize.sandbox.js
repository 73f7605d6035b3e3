/*---
description: the program finds its row in /param.json; what only expectations name is not in there
parametrize:
  - {name: small, n: 3, want: 6}
  - {name: zero, n: 0, want: 1}
  - {n: 10, want: 3628800}
expect:
  output: "${n}! = ${want}\n"
  resultValue: ${want}
files: {/param.json: {json: {n: "${n}"}}}
---*/
import param from "/param.json" with { type: "json" };
const factorial = (n) => (n < 2 ? 1 : n * factorial(n - 1));
console.log(`${param.n}! = ${factorial(param.n)}`);
factorial(param.n);
