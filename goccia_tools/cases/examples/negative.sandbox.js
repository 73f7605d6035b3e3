/*---
description: the phase counts as much as the error; parse means that nothing ran
negative: {phase: parse, type: SyntaxError}
---*/
console.log("never printed");
const = 1;
