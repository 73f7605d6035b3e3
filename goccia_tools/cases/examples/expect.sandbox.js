/*---
description: what is printed, and the value of the last statement
expect:
  output: |
    adding
    done
  resultValue: {sum: 6, items: [1, 2, 3]}
---*/
const items = [1, 2, 3];
console.log("adding");
const sum = items.reduce((total, item) => total + item, 0);
console.log("done");
({ sum, items });
