/*---
options: {compatibility: [compat-while-loops]}
cases:
  - name: endless
    options: {timeoutMs: 200}
    expect: {failureKind: timeout}
  - name: too many steps
    options: {maxInstructions: 100000}
    expect: {failureKind: resource-limit}
---*/
while (true) {}
