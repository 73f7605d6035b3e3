internals.configure = () => {};
internals.cloneToJson = (v) => { const t = JSON.stringify(v); return t === undefined ? "null" : t; };
internals.describeError = (e) => JSON.stringify({name: String(e && e.name), message: String(e && e.message), stack: e && e.stack});
globalThis.console = { log: (...a) => host.print(a.join(" ")) };
