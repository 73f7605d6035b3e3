// Where the engine needs help: native recursion of chained iterator helpers, array growth in natives, the class of its
// own errors, a cube root.

const uncurry = Function.prototype.call.bind.bind(Function.prototype.call);
const { RangeError } = globalThis;
const { defineProperty, getOwnPropertyDescriptor } = Object;
const isArray = Array.isArray;
const apply = Reflect.apply;
const getDepth = uncurry(WeakMap.prototype.get);
const setDepth = uncurry(WeakMap.prototype.set);

const replace = (owner, name, make) => {
  const native = owner[name];
  const method = make(native)[name];
  defineProperty(method, "length", { __proto__: null, value: native.length, configurable: true });
  const { writable, enumerable, configurable } = getOwnPropertyDescriptor(owner, name);
  defineProperty(owner, name, { __proto__: null, value: method, writable, enumerable, configurable });
};

// A chain of tens of thousands of helpers exhausts the native stack when it is first pulled.
const LONGEST_CHAIN = 1000;
const depths = new WeakMap();
for (const name of ["map", "filter", "take", "drop", "flatMap"]) {
  replace(Iterator.prototype, name, (native) => ({
    [name](argument) {
      const depth = (getDepth(depths, this) || 0) + 1;
      if (depth > LONGEST_CHAIN) throw new RangeError("Maximum call stack size exceeded");
      const helper = apply(native, this, [argument]);
      setDepth(depths, helper, depth);
      return helper;
    },
  }));
}

// Filling a long empty array grows it element by element in native code: what its elements need is known before.
const ELEMENT_BYTES = 16;
let budgetBytes = 0;
internals.setMemoryBudget = (bytes) => {
  budgetBytes = bytes;
};
replace(Array.prototype, "fill", (native) => ({
  fill(...given) {
    if (budgetBytes && isArray(this) && this.length * ELEMENT_BYTES > budgetBytes) host.refuseMemory(this.length * ELEMENT_BYTES);
    return apply(native, this, given);
  },
}));

// The engine says InternalError where the language has RangeError (out of memory, a string that would be too long).
const { InternalError } = globalThis;
Object.setPrototypeOf(InternalError.prototype, RangeError.prototype);
delete InternalError.prototype.name;
delete InternalError.prototype.message;
delete InternalError.prototype.constructor;
delete globalThis.InternalError;

// Cube roots of cubes come out whole.
const { round } = Math;
replace(Math, "cbrt", (native) => ({
  cbrt(x) {
    const root = native(x);
    const whole = round(root);
    return whole * whole * whole === +x ? (whole === 0 ? root : whole) : root;
  },
}));
