// Module `goccia:test`: tests are collected, and run when the program calls runTests.

internals.builtinModules["goccia:test"] = () => {
  const { Error, Promise, RegExp, Object: NativeObject, Map, Set, Date } = globalThis;
  const { is, keys: enumerableKeys, getPrototypeOf } = NativeObject;
  const isArray = Array.isArray;
  const ownKeys = Reflect.ownKeys;
  const await_ = internals.sourceHelpers["ǃg_await"];
  const show = (value) => internals.formatAll([typeof value === "string" ? `"${value}"` : value], 0);

  const newSuite = (name, parent) => ({ name, parent, tests: [], suites: [], beforeAll: [], afterAll: [], beforeEach: [], afterEach: [], skip: false });
  let root = newSuite("", null);
  let suite = root;
  let current = null;
  let assertions = 0;

  // -- equality

  const equal = (a, b, strict, seen = []) => {
    if (is(a, b)) return true;
    if (isAsymmetric(b)) return b.matches(a);
    if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
    if (seen.some((pair) => pair[0] === a && pair[1] === b)) return true;
    seen = [...seen, [a, b]];
    if (isArray(a) !== isArray(b)) return false;
    if (strict && getPrototypeOf(a) !== getPrototypeOf(b)) return false;
    if (a instanceof Date && b instanceof Date) return is(a.getTime(), b.getTime());
    if (a instanceof RegExp && b instanceof RegExp) return `${a}` === `${b}`;
    if (a instanceof Error && b instanceof Error) return a.message === b.message && a.name === b.name;
    if (a instanceof Map && b instanceof Map) {
      return a.size === b.size && [...a].every(([key, value]) => b.has(key) && equal(value, b.get(key), strict, seen));
    }
    if (a instanceof Set && b instanceof Set) {
      return a.size === b.size && [...a].every((value) => b.has(value) || [...b].some((other) => equal(value, other, strict, seen)));
    }
    if (isArray(a) && a.length !== b.length) return false;
    const keys = (value) => (strict ? ownKeys(value) : enumerableKeys(value).filter((key) => value[key] !== undefined));
    const left = keys(a);
    const right = keys(b);
    return left.length === right.length && left.every((key) => right.includes(key) && equal(a[key], b[key], strict, seen));
  };
  const contains = (actual, expected) =>
    typeof expected === "object" && expected !== null && typeof actual === "object" && actual !== null && !isAsymmetric(expected)
      ? isArray(expected)
        ? isArray(actual) && actual.length === expected.length && expected.every((item, i) => contains(actual[i], item))
        : enumerableKeys(expected).every((key) => key in actual && contains(actual[key], expected[key]))
      : equal(actual, expected, false);
  const asymmetric = new WeakSet();
  const isAsymmetric = (value) => typeof value === "object" && value !== null && asymmetric.has(value);
  const newAsymmetric = (matches) => {
    const made = { matches };
    asymmetric.add(made);
    return made;
  };

  // -- mocks

  const states = new WeakMap();
  const mock = (implementation) => {
    const state = { calls: [], results: [], once: [], implementation };
    const called = function (...given) {
      state.calls.push(given);
      const work = state.once.shift() ?? state.implementation;
      try {
        const value = work?.apply(this, given);
        state.results.push({ type: "return", value });
        return value;
      } catch (error) {
        state.results.push({ type: "throw", value: error });
        throw error;
      }
    };
    const chain = (name, work) => {
      called[name] = (...given) => {
        work(...given);
        return called;
      };
    };
    chain("mockImplementation", (work) => (state.implementation = work));
    chain("mockImplementationOnce", (work) => state.once.push(work));
    chain("mockReturnValue", (value) => (state.implementation = () => value));
    chain("mockReturnValueOnce", (value) => state.once.push(() => value));
    chain("mockResolvedValue", (value) => (state.implementation = () => Promise.resolve(value)));
    chain("mockRejectedValue", (error) => (state.implementation = () => Promise.reject(error)));
    chain("mockClear", () => (state.calls = called.mock.calls = []) && (state.results = called.mock.results = []));
    chain("mockReset", () => called.mockClear() && (state.once = []) && (state.implementation = undefined));
    called.mock = { calls: state.calls, results: state.results };
    states.set(called, state);
    return called;
  };
  const spyOn = (owner, name) => {
    const original = owner[name];
    const spy = mock(original);
    owner[name] = spy;
    spy.mockRestore = () => (owner[name] = original);
    return spy;
  };
  const callsOf = (value) => {
    const state = states.get(value);
    if (state === undefined) throw new Error("Expected a mock or a spy");
    return state;
  };
  const returned = (value) => callsOf(value).results.filter((result) => result.type === "return");

  // -- matchers: name -> (actual, ...expected) => [holds, what was expected]

  const thrown = (actual, expected) => {
    let error;
    let threw = false;
    if (typeof actual === "function") {
      try {
        actual();
      } catch (caught) {
        threw = true;
        error = caught;
      }
    }
    if (!threw || expected === undefined) return threw;
    if (typeof expected === "string") return `${error?.message ?? error}`.includes(expected);
    if (expected instanceof RegExp) return expected.test(`${error?.message ?? error}`);
    if (typeof expected === "function") return error instanceof expected;
    return error?.message === expected?.message;
  };
  const at = (value, path) => (isArray(path) ? path : `${path}`.split(".")).reduce(
    (found, key) => (found[0] && found[1] !== null && found[1] !== undefined && key in NativeObject(found[1]) ? [true, found[1][key]] : [false, undefined]),
    [true, value],
  );
  const matchers = {
    toBe: (a, b) => [is(a, b), `be ${show(b)}`],
    toEqual: (a, b) => [equal(a, b, false), `equal ${show(b)}`],
    toStrictEqual: (a, b) => [equal(a, b, true), `strictly equal ${show(b)}`],
    toBeNull: (a) => [a === null, "be null"],
    toBeUndefined: (a) => [a === undefined, "be undefined"],
    toBeDefined: (a) => [a !== undefined, "be defined"],
    toBeNaN: (a) => [is(a, NaN), "be NaN"],
    toBeTruthy: (a) => [!!a, "be truthy"],
    toBeFalsy: (a) => [!a, "be falsy"],
    toBeGreaterThan: (a, b) => [a > b, `be greater than ${show(b)}`],
    toBeGreaterThanOrEqual: (a, b) => [a >= b, `be greater than or equal to ${show(b)}`],
    toBeLessThan: (a, b) => [a < b, `be less than ${show(b)}`],
    toBeLessThanOrEqual: (a, b) => [a <= b, `be less than or equal to ${show(b)}`],
    toBeCloseTo: (a, b, digits = 2) => [is(a, b) || Math.abs(a - b) < 10 ** -digits / 2, `be close to ${show(b)}`],
    toBeInstanceOf: (a, b) => [a instanceof b, `be an instance of ${b?.name}`],
    toBeOneOf: (a, b) => [[...b].some((item) => equal(a, item, false)), `be one of ${show(b)}`],
    toContain: (a, b) => [typeof a === "string" ? a.includes(b) : [...a].some((item) => is(item, b)), `contain ${show(b)}`],
    toContainEqual: (a, b) => [[...a].some((item) => equal(item, b, false)), `contain something equal to ${show(b)}`],
    toHaveLength: (a, b) => [a?.length === b, `have length ${show(b)}`],
    toHaveProperty: (a, path, ...value) => {
      const [there, found] = at(a, path);
      return [there && (value.length === 0 || equal(found, value[0], false)), `have property ${show(path)}`];
    },
    toMatch: (a, b) => [b instanceof RegExp ? b.test(a) : `${a}`.includes(b), `match ${show(b)}`],
    toMatchObject: (a, b) => [contains(a, b), `match ${show(b)}`],
    toSatisfy: (a, check) => [!!check(a), "satisfy the function"],
    toThrow: (a, b) => [thrown(a, b), b === undefined ? "throw" : `throw ${typeof b === "function" ? b.name : show(b)}`],
    toHaveBeenCalled: (a) => [callsOf(a).calls.length > 0, "have been called"],
    toHaveBeenCalledOnce: (a) => [callsOf(a).calls.length === 1, "have been called once"],
    toHaveBeenCalledTimes: (a, n) => [callsOf(a).calls.length === n, `have been called ${n} times`],
    toHaveBeenCalledWith: (a, ...given) => [callsOf(a).calls.some((call) => equal(call, given, false)), `have been called with ${show(given)}`],
    toHaveBeenLastCalledWith: (a, ...given) => [equal(callsOf(a).calls.at(-1), given, false), `have been last called with ${show(given)}`],
    toHaveBeenNthCalledWith: (a, n, ...given) => [equal(callsOf(a).calls[n - 1], given, false), `have been called with ${show(given)} as call ${n}`],
    toHaveReturned: (a) => [returned(a).length > 0, "have returned"],
    toHaveReturnedTimes: (a, n) => [returned(a).length === n, `have returned ${n} times`],
    toHaveReturnedWith: (a, b) => [returned(a).some((result) => equal(result.value, b, false)), `have returned ${show(b)}`],
    toHaveLastReturnedWith: (a, b) => [equal(returned(a).at(-1)?.value, b, false), `have last returned ${show(b)}`],
    toHaveNthReturnedWith: (a, n, b) => [equal(returned(a)[n - 1]?.value, b, false), `have returned ${show(b)} as return ${n}`],
  };

  const expectation = (actual, negated) => {
    const made = {};
    for (const name of enumerableKeys(matchers)) {
      made[name] = (...expected) => {
        assertions++;
        const [holds, what] = matchers[name](actual, ...expected);
        if (holds === negated) throw new Error(`Expected ${show(actual)} ${negated ? "not to" : "to"} ${what}`);
      };
    }
    return made;
  };
  // Matchers on what a promise settles to.
  const settling = (actual, rejects) => {
    const through = (negated) => {
      const made = {};
      for (const name of enumerableKeys(matchers)) {
        made[name] = async (...expected) => {
          let value;
          let failed = false;
          try {
            value = await (typeof actual === "function" ? actual() : actual);
          } catch (error) {
            failed = true;
            value = error;
          }
          if (failed !== rejects) throw new Error(`Expected the promise to ${rejects ? "reject" : "resolve"}: ${show(value)}`);
          const shown = rejects && name === "toThrow" ? () => { throw value; } : value;
          expectation(shown, negated)[name](...expected);
        };
      }
      return made;
    };
    const made = through(false);
    made.not = through(true);
    return made;
  };
  const expect = (actual) => {
    const made = expectation(actual, false);
    made.not = expectation(actual, true);
    made.resolves = settling(actual, false);
    made.rejects = settling(actual, true);
    return made;
  };
  expect.anything = () => newAsymmetric((value) => value !== null && value !== undefined);
  expect.any = (Kind) => newAsymmetric((value) => value instanceof Kind || typeof value === Kind.name.toLowerCase());
  expect.objectContaining = (part) => newAsymmetric((value) => contains(value, part));
  expect.arrayContaining = (part) => newAsymmetric((value) => isArray(value) && part.every((item) => value.some((other) => equal(other, item, false))));
  expect.stringContaining = (part) => newAsymmetric((value) => typeof value === "string" && value.includes(part));
  expect.stringMatching = (pattern) => newAsymmetric((value) => typeof value === "string" && (pattern instanceof RegExp ? pattern.test(value) : value.includes(pattern)));

  // -- collecting and running

  const fill = (name, row) => {
    let at_ = 0;
    return name.replace(/%[sdifjo]/g, () => show(row[at_++]));
  };
  const variants = (make) => {
    make.skip = (name, ...rest) => make(name, ...rest, "skip");
    make.skipIf = (condition) => (condition ? make.skip : make);
    make.runIf = (condition) => (condition ? make : make.skip);
    make.each = (rows) => (name, body) => {
      for (const row of rows) {
        const values = isArray(row) ? row : [row];
        make(fill(name, values), () => body(...values));
      }
    };
    return make;
  };
  const test = variants((name, body, mode) => {
    suite.tests.push({ name, body, skip: mode === "skip" });
  });
  test.todo = (name) => test.skip(name, () => {});
  const describe = variants((name, body, mode) => {
    const outer = suite;
    suite = newSuite(name, outer);
    suite.skip = outer.skip || mode === "skip";
    outer.suites.push(suite);
    try {
      body();
    } finally {
      suite = outer;
    }
  });
  const hook = (name) => (body) => {
    suite[name].push(body);
  };
  const onTestFinished = (body) => {
    if (current === null) throw new Error("onTestFinished belongs inside a test");
    current.push(body);
  };
  const settle = (value) => (typeof value?.then === "function" ? await_(value) : value);

  const runTests = () => {
    const started = internals.nowMs();
    const results = { totalTests: 0, totalRunTests: 0, passed: 0, failed: 0, skipped: 0, suiteErrors: 0, assertions: 0, duration: 0, failedTests: [], summary: "" };
    assertions = 0;
    const described = (error) => (error instanceof Error ? error.message : show(error));
    const fullName = (at_) => (at_.parent?.parent ? `${fullName(at_.parent)} > ${at_.name}` : at_.name);
    const chain = (at_, name) => (at_ === null ? [] : [...chain(at_.parent, name), ...at_[name]]);
    const runOne = (at_, one) => {
      results.totalTests++;
      results.totalRunTests++;
      if (one.skip || at_.skip) {
        results.skipped++;
        return;
      }
      current = [];
      let problem;
      const attempt = (work) => {
        try {
          settle(work());
        } catch (error) {
          problem ??= [error];
        }
      };
      for (const work of chain(at_, "beforeEach")) attempt(work);
      if (problem === undefined) attempt(one.body);
      for (const work of [...current, ...chain(at_, "afterEach").reverse()]) attempt(work);
      current = null;
      if (problem === undefined) {
        results.passed++;
      } else {
        results.failed++;
        const where = at_.parent === null ? "" : ` in suite "${fullName(at_)}"`;
        results.failedTests.push(`Test "${one.name}"${where}: ${described(problem[0])}`);
      }
    };
    const runSuite = (at_) => {
      try {
        for (const work of at_.beforeAll) settle(work());
        for (const one of at_.tests) runOne(at_, one);
        for (const inner of at_.suites) runSuite(inner);
        for (const work of at_.afterAll) settle(work());
      } catch (error) {
        results.suiteErrors++;
        results.failedTests.push(`Suite "${fullName(at_)}": ${described(error)}`);
      }
    };
    runSuite(root);
    const names = root.suites.map((at_) => at_.name).join(", ");
    root = newSuite("", null);
    suite = root;
    results.assertions = assertions;
    results.duration = Math.round((internals.nowMs() - started) * 1e6);
    results.summary = `Tests: ${results.totalTests} total, ${results.passed} passed, ${results.failed} failed, ${results.skipped} skipped`
      + (names === "" ? "" : ` (Suites: ${names})`);
    return results;
  };

  return {
    __proto__: null,
    afterAll: hook("afterAll"),
    afterEach: hook("afterEach"),
    beforeAll: hook("beforeAll"),
    beforeEach: hook("beforeEach"),
    describe,
    expect,
    it: test,
    mock,
    onTestFinished,
    runTests,
    spyOn,
    test,
  };
};
