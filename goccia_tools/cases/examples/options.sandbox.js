/*---
description: all stands for the flags that allow what GocciaScript leaves out by default
options: {compatibility: all}
expect: {resultValue: 10}
---*/
var total = 0
for (var i = 0; i < 5; i++) {
  total += i
}
function same(value) { return value }
same(total) == "10" ? total : -1
