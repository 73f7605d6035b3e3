// The structural clone of a result, straight to JSON text (behaviour section 3, ADR 0107 section 3b).

const {
  arrayIsArray, arrayJoin, arrayPush, isObject, isProxy, jsonStringify, objectGetOwnPropertyNames, setOwn, stringToWellFormed, WeakSet, weakSetAdd,
  weakSetHas,
} = primordials;
const weakSetDelete = primordials.uncurry(WeakSet.prototype.delete);

const MAX_DEPTH = 200;
// Text is collected in parts of this many pieces, so that a large value does not become one deep rope.
const PIECES = 4096;

const cloneToJson = (root) => {
  const path = new WeakSet();
  let pieces = [];
  let count = 0;
  let text = "";
  let tooDeep = false;
  const emit = (piece) => {
    setOwn(pieces, count++, piece);
    if (count === PIECES) {
      text += arrayJoin(pieces, "");
      pieces = [];
      count = 0;
    }
  };
  const scalar = (value) => {
    if (value === null || typeof value === "boolean") return value === null ? "null" : value ? "true" : "false";
    if (typeof value === "number") return value - value === 0 ? jsonStringify(value) : "null";
    if (typeof value === "string") return jsonStringify(stringToWellFormed(value));
    return "null";
  };
  const visit = (value, depth) => {
    if (!isObject(value) || weakSetHas(path, value)) {
      emit(isObject(value) ? "null" : scalar(value));
      return;
    }
    if (depth > MAX_DEPTH) {
      tooDeep = true;
      emit("null");
      return;
    }
    weakSetAdd(path, value);
    if (arrayIsArray(value) && !isProxy(value)) {
      emit("[");
      const length = value.length;
      for (let i = 0; i < length; i++) {
        if (i) emit(",");
        if (i in value) visit(value[i], depth + 1);
        else emit("null");
      }
      emit("]");
    } else {
      emit("{");
      const names = internals.ownNames(value);
      for (let i = 0; i < names.length; i++) {
        emit((i ? "," : "") + jsonStringify(stringToWellFormed(names[i])) + ":");
        visit(value[names[i]], depth + 1);
      }
      emit("}");
    }
    weakSetDelete(path, value);
  };
  visit(root, 1);
  return tooDeep ? "null" : text + arrayJoin(pieces, "");
};

internals.ownNames = objectGetOwnPropertyNames;
internals.cloneToJson = cloneToJson;
