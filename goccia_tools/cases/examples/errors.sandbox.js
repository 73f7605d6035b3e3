/*---
description: an error that nobody catches, and where it comes from
expect:
  failureKind: script-error
  output: "before\n"
  error:
    name: RangeError
    message: {contains: too large}
    path: /errors.sandbox.js
    line: 17
---*/
console.log("before");
const check = (n) => {
  if (n > 10) throw new RangeError(`${n} is too large`);
};

check(11);
