/*---
description: each call is a test of its own, compared outside on plain data; a program is not needed
files: {/account.js: {from: lib/account.js}}
from: /account.js
calls:
  - {call: sum, args: [1, 2, 3], returns: 6}
  - {call: mean, args: [[1, 2]], returns: {approx: 1.5}}
  - {call: mean, args: [[]], throws: {name: RangeError, message: {contains: nothing}}}
  - {call: apply, args: [[1, 2], {js: n => n * 10}], returns: [10, 20]}
  - {call: later, args: [5], returns: 5}
  - name: a deposit
    new: {class: Account, args: [Ada, 10]}
    call: deposit
    args: [5]
    then: [{call: toString}]
    returns: "Ada: 15"
  - name: the balance after two deposits
    new: {class: Account, args: [Ada]}
    then: [{call: deposit, args: [1]}, {call: deposit, args: [2]}, {get: balance}]
    returns: 3
  - {new: Counter, do: [{call: add, args: [1]}, {call: add, args: [2]}], get: count, returns: 3}
  - {new: Account, call: deposit, args: [0], throws: RangeError}
  - {js: "[...new Set([sum(1, 1), sum(2, 0)])]", returns: [2]}
---*/
