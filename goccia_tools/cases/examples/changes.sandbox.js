/*---
description: every change of a file must be named here
files:
  /list.txt: "one\n"
  /old.txt: to be deleted
expect:
  diff:
    /list.txt: {modified: "one\ntwo\n"}
    /old.txt: deleted
    /made: mkdir
    /made/data.json: {created: {json: {total: 2}}}
    /made/log.txt: {created: {contains: finished}}
---*/
import fs from "fs";
fs.appendFileSync("/list.txt", "two\n");
fs.rmSync("/old.txt");
fs.mkdirSync("/made");
fs.writeFileSync("/made/data.json", JSON.stringify({ total: 2 }));
fs.writeFileSync("/made/log.txt", "finished at last");
