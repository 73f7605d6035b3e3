/*---
options: {compatibility: [compat-while-loops]}
cases:
  - name: here
    expect: {resultValue: 42}
  - name: not yet
    skip: waits for a decision
  - name: elsewhere
    skipif: {if: platform != "win32", reason: only on Windows}
  - name: known to be wrong
    xfail: {reason: counts from one, strict: true}
    expect: {resultValue: 41}
  - name: known to be slow
    options: {timeoutMs: 100}
    files: {/wait.txt: ""}
    xfail: {reason: does not stop, raises: timeout}
---*/
import fs from "fs";
while (fs.existsSync("/wait.txt")) {}
42;
