/*---
description: files that are there before the program starts
options: {sourceType: module}
files:
  /note.txt: plain text
  /config.json: {json: {unit: cm}}
  /bytes.bin: {base64: AQID}
  /lib/area.js: {from: lib/area.js}    # a file beside this one; a folder comes with all it holds
  /sizes.txt: {from: lib/sizes.txt}
  /results: {dir: true}
expect:
  output: |
    plain text
    12 cm
    30 cm
    3 bytes
---*/
import fs from "fs";
import config from "/config.json" with { type: "json" };
import { area } from "./lib/area.js";

console.log(fs.readFileSync("/note.txt", "utf8"));
for (const line of fs.readFileSync("/sizes.txt", "utf8").trim().split("\n")) {
  const [width, height] = line.split(" ").map(Number);
  console.log(`${area(width, height)} ${config.unit}`);
}
console.log(`${fs.readFileSync("/bytes.bin").length} bytes`);
