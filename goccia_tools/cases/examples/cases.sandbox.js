/*---
description: what a case says is merged over what the file says; its expect replaces the file's
options: {sourceType: module}
files: {/name.txt: World}
expect: {output: "Hello, World!\n"}
cases:
  - name: default
  - name: another name
    files: {/name.txt: Ada}
    expect: {output: "Hello, Ada!\n"}
  - name: nobody
    files: {/name.txt: ""}
    expect: {error: {name: Error, message: nobody there}}
---*/
import fs from "fs";
const greet = (name) => {
  if (name === "") throw new Error("nobody there");
  return `Hello, ${name}!`;
};
console.log(greet(fs.readFileSync("/name.txt", "utf8")));
