const twice = (n) => {
  if (n < 0) throw new RangeError("negative");
  return n * 2;
};
twice(4); // => 8
const pair = [twice(1), twice(2)]; // => [2, 4]
twice(-1); // throws: RangeError: negative
console.log(`pair ${pair}`); // stdout: pair 2,4
