/*---
description: where exact is too much
expect:
  output:
    contains: [seconds, "2 "]
    matches: '^took \d+\.\d+ seconds'
    lines: [took 0.30 seconds, 2 files]
  resultValue: {approx: [0.3, 2], tolerance: 0.001}
  errorOutput: {absent: true}
---*/
const seconds = 0.1 + 0.2;
console.log(`took ${seconds.toFixed(2)} seconds`);
console.log("2 files");
[seconds, 2];
