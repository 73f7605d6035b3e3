/*---
description: each @case below is a test of its own; what stands above the first of them belongs to all
cases:
  - {name: takes what was put in last, tags: [order]}    # more about one of them, by its name
---*/
class Stack {
  #items = [];
  push(item) {
    this.#items.push(item);
    return this;
  }
  pop() {
    if (this.#items.length === 0) throw new RangeError("empty");
    return this.#items.pop();
  }
}

// @case takes what was put in last
const stack = new Stack().push(1).push(2);
stack.pop(); // => 2
stack.pop(); // => 1

// @case has nothing at first
const stack = new Stack();
stack.pop(); // throws: RangeError: empty
