"""Whole programs on the embedded engine: limits nobody can catch, modules, dynamic code, programs in programs."""

from __future__ import annotations

import json
from typing import Any

import pytest

WHILE = {"compatibility": ["compat-while-loops"]}
SMALL = {"maxMemoryBytes": 16_000_000}


class TestTheDeadline:
    @pytest.mark.parametrize(
        "text",
        [
            "while (true) { }",
            "try { while (true) { } } catch { console.log('caught'); } finally { console.log('finally'); }",
            "new Promise(() => { while (true) { } }).catch(() => console.log('c')).finally(() => console.log('f'));",
            "Promise.resolve({ then() { while (true) { } } }).catch(() => console.log('caught'));",
            "const spin = async () => { while (true) { await null; } }; await spin();",
            "const again = () => Promise.resolve().then(again); again();",
            "queueMicrotask(function again() { queueMicrotask(again); });",
            "({ get x() { while (true) { } } });",
            "({ toJSON() { while (true) { } } });",
            "await { then() { while (true) { } } };",
        ],
    )
    def test_ends_the_run_past_every_handler(self, program: Any, text: str) -> None:
        flags = {"compatibility": ["compat-while-loops", "compat-function"]}
        ran = program(text, engine=flags, execution={"timeoutMs": 200})
        if ran.kind == "none":
            assert "toJSON" in text, "only a result that is never looked into may end well"
            return
        assert (ran.kind, ran.error) == ("timeout", "file timed out after 200ms")
        assert ran.output == ""
        assert ran.outcome.stderr == ran.error + "\n"

    def test_zero_is_no_deadline(self, program: Any) -> None:
        assert program("1;", execution={"timeoutMs": 0}).kind == "none"

    def test_what_was_written_before_stays(self, program: Any) -> None:
        ran = program(
            "import fs from 'fs'; fs.writeFileSync('/early', 'e'); console.log('early'); while (true) { }",
            engine=WHILE,
            execution={"timeoutMs": 100},
        )
        assert ran.kind == "timeout"
        assert ran.output == "early\n"
        assert ran.files.read("/early") == b"e"


class TestInstructions:
    def test_the_limit_is_said(self, program: Any) -> None:
        ran = program("while (true) { }", engine=WHILE, execution={"maxInstructions": 50_000})
        assert (ran.kind, ran.error) == ("resource-limit", "Execution exceeded instruction limit of 50000")

    def test_enough_is_enough(self, program: Any) -> None:
        assert (
            program("let s = 0; for (const i of [1, 2]) { s += i; } s;", execution={"maxInstructions": 1}).kind
            == "none"
        )

    def test_a_child_counts_for_itself(self, program: Any) -> None:
        ran = program(
            "import { runScript } from 'goccia'; console.log(runScript('/c.js').failureKind); console.log('on');",
            {"/c.js": "while (true) { }"},
            engine=WHILE,
            execution={"maxInstructions": 100_000},
        )
        assert (ran.kind, ran.output) == ("none", "resource-limit\non\n")

    def test_the_same_program_ends_at_the_same_step(self, program: Any) -> None:
        text = (
            "let n = 0; try { while (true) { n += 1; if (n % 1000 === 0) { console.log(n); } } }"
            " finally { console.log('f'); }"
        )
        outputs = {program(text, engine=WHILE, execution={"maxInstructions": 200_000}).output for _ in range(3)}
        assert len(outputs) == 1
        assert "f" not in outputs.pop()


class TestMemory:
    @pytest.mark.parametrize(
        "text",
        [
            "const a = []; while (true) { a.push({}); }",
            "const a = []; while (true) { a.push(1); }",
            "const m = new Map(); let i = 0; while (true) { m.set(i++, i); }",
            "const o = {}; let i = 0; while (true) { o['k' + i++] = i; }",
            "new Array(100000000).fill(0);",
            "Array.from({ length: 1e9 }, () => ({}));",
        ],
    )
    def test_growth_ends_the_run_uncatchably(self, program: Any, text: str) -> None:
        wrapped = f"try {{ {text} }} catch {{ console.log('caught'); }} finally {{ console.log('finally'); }}"
        ran = program(wrapped, engine={**WHILE, **SMALL})
        assert ran.kind == "resource-limit", ran.error
        assert ran.error.startswith("memory limit exceeded: Allocation of ")
        assert ran.error.endswith(" bytes would exceed the memory budget of 16000000 bytes")
        assert ran.output == ""

    @pytest.mark.parametrize(
        "text",
        [
            "new ArrayBuffer(200000000);",
            "new Uint8Array(2 ** 31 - 1);",
            "'x'.repeat(2 ** 29);",
            "let s = 'x'.repeat(1000); while (true) { s += s; }",
        ],
    )
    def test_one_big_allocation_is_a_range_error(self, program: Any, text: str) -> None:
        wrapped = f"try {{ {text} }} catch (e) {{ console.log(e.name, e instanceof RangeError); }} console.log('on');"
        ran = program(wrapped, engine={**WHILE, **SMALL})
        assert (ran.kind, ran.output) == ("none", "RangeError true\non\n")
        assert program(text, engine={**WHILE, **SMALL}).kind == "script-error"

    def test_ordinary_work_fits_the_default(self, program: Any) -> None:
        text = (
            "const a = Array.from({ length: 200000 }, (_, i) => ({ i, s: 'k' + i })); a.filter((x) => x.i % 2).length;"
        )
        assert program(text).outcome.value_json == "100000"

    def test_a_child_program_shares_the_budget(self, program: Any) -> None:
        ran = program(
            "import { runScript } from 'goccia'; const r = runScript('/c.js'); console.log(r.failureKind, r.stdout);",
            {"/c.js": "console.log('c'); const a = []; while (true) { a.push({}); }"},
            engine={**WHILE, **SMALL},
        )
        assert (ran.kind, ran.output) == ("none", "resource-limit c\n\n")


class TestTheStack:
    def test_recursion_is_a_range_error(self, program: Any) -> None:
        ran = program("const f = (n) => f(n + 1); try { f(0); } catch (e) { console.log(e.name, e.message); }")
        assert ran.output == "RangeError Maximum call stack size exceeded\n"

    def test_a_thousand_calls_are_fine(self, program: Any) -> None:
        assert program("const f = (n) => (n ? f(n - 1) : 'end'); f(1000);").outcome.value_json == '"end"'

    def test_chained_iterator_helpers_are_capped(self, program: Any) -> None:
        text = (
            "let it = [1].values(); try { while (true) { it = it.map((x) => x); } } catch (e) { console.log(e.name); }"
        )
        assert program(text, engine=WHILE).output == "RangeError\n"

    def test_a_long_chain_of_imports_ends_in_an_error(self, program: Any) -> None:
        files = {f"/m{i}.js": f"import './m{i + 1}.js';" for i in range(3000)}
        ran = program("import './m0.js';", files, entry="/main.mjs")
        assert ran.kind == "script-error"


class TestResults:
    def test_programs_inside_programs_stop_at_a_depth(self, program: Any) -> None:
        deep = "import { runScript } from 'goccia'; runScript('/d.js').failureKind;"
        ran = program("import { runScript } from 'goccia'; runScript('/d.js').failureKind;", {"/d.js": deep})
        assert ran.kind == "none"
        caught = "import { runScript } from 'goccia'; try { runScript('/d.js'); } catch (e) { console.log(e.message); }"
        assert program(caught, {"/d.js": caught}).kind == "none"

    def test_values_cross_from_a_child_whole(self, program: Any) -> None:
        ran = program(
            "import { runScript } from 'goccia'; const r = runScript('/c.js').result;"
            "console.log(Object.is(r[0], -0), r[1] === undefined, Number.isNaN(r[2]), r[3]);"
            "console.log(r[4][''], Object.keys(r[5]));",
            {"/c.js": "[-0, undefined, NaN, Infinity, { '': 'empty' }, { a: undefined }];"},
        )
        assert ran.output == "true true true Infinity\nempty [ 'a' ]\n"

    def test_a_throwing_getter_of_the_result_is_a_script_error(self, program: Any) -> None:
        ran = program("console.log('ran'); ({ get x() { throw new TypeError('in getter'); } });")
        assert (ran.kind, ran.output) == ("script-error", "ran\n")
        assert "in getter" in ran.error

    def test_a_dag_of_doubling_references_is_bounded(self, program: Any) -> None:
        text = "let v = 'leaf'; for (const i of Array.from({ length: 60 })) { v = [v, v]; } v;"
        ran = program(text, execution={"timeoutMs": 1500})
        assert ran.kind in ("timeout", "resource-limit", "script-error", "none")

    def test_a_deep_result_is_cut(self, program: Any) -> None:
        ran = program("let v = 1; for (const i of Array.from({ length: 5000 })) { v = [v]; } v;")
        assert ran.kind == "none"
        assert len(ran.outcome.value_json) < 1000
        json.loads(ran.outcome.value_json)


class TestModules:
    def test_a_cycle_left_by_a_failed_import_is_not_reused(self, program: Any) -> None:
        """The engine frees a module whose load failed; others of the same load may still point to it."""
        ran = program(
            "for (const n of [1, 2, 3]) { try { await import('./a.js'); } catch (e) { console.log(e.name); }"
            " try { await import('./b.js'); } catch (e) { console.log(e.name); } }"
            " (await import('./c.js')).c;",
            {
                "/a.js": "import { b } from './b.js'; import './none.js'; export const a = 1;",
                "/b.js": "import { a } from './a.js'; import { c } from './c.js'; export const b = () => a;",
                "/c.js": "export const c = 'fine';",
            },
            entry="/main.mjs",
        )
        assert ran.kind == "none"
        assert ran.output == "Error\nError\n" * 3

    def test_a_changed_file_is_another_module(self, program: Any) -> None:
        ran = program(
            "import fs from 'fs'; fs.writeFileSync('/m.js', 'export const v = 1;');"
            "const a = await import('./m.js'); fs.writeFileSync('/m.js', 'export const v = 2;');"
            "const b = await import('./m.js'); const c = await import('./m.js'); console.log(b.v, a === b, b === c);",
        )
        assert ran.output == "2 false true\n"

    def test_an_error_in_a_reloaded_module_names_the_plain_path(self, program: Any) -> None:
        ran = program(
            "import fs from 'fs'; fs.writeFileSync('/m.js', 'export const v = 1;'); await import('./m.js');"
            "fs.writeFileSync('/m.js', 'export const f = () => { throw new Error(\"late\"); };');"
            "try { (await import('./m.js')).f(); } catch (e) { console.log(e.stack.includes('\\u0001'), e.message); }",
        )
        assert ran.output == "false late\n"

    @pytest.mark.parametrize("phase", ["source", "defer"])
    def test_phases_do_not_run_the_module(self, program: Any, phase: str) -> None:
        binding = "s" if phase == "source" else "* as s"
        ran = program(
            f"import {phase} {binding} from './m.js'; console.log('main');"
            "console.log(Object.prototype.toString.call(s));",
            {"/m.js": "console.log('ran'); export const v = 1;"},
            entry="/main.mjs",
            engine={"compatibility": ["experimental-js-module-source"]},
        )
        tag = "ModuleSource" if phase == "source" else "Deferred Module"
        assert (ran.kind, ran.output) == ("none", f"main\n[object {tag}]\n"), ran.error

    def test_a_deferred_module_runs_when_it_is_looked_into(self, program: Any) -> None:
        ran = program(
            "import defer * as d from './m.js'; console.log('main'); console.log(d.v, Object.keys(d));",
            {"/m.js": "console.log('ran'); export const v = 1;"},
            entry="/main.mjs",
        )
        assert ran.output == "main\nran\n1 [ 'v' ]\n"


class TestDynamicCode:
    def test_nothing_makes_code_from_text(self, program: Any) -> None:
        ran = program(
            "const makers = [Function, (async () => {}).constructor, ({ *g() {} }).g.constructor,"
            " ({ async *g() {} }).g.constructor];"
            "for (const make of makers) { try { make('return 1'); } catch (e) { console.log(e.name); } }"
            "console.log(typeof eval, Reflect.construct.length);"
            "try { Reflect.construct(Function, ['return 1']); } catch (e) { console.log(e.name); }"
        )
        assert ran.output == "TypeError\n" * 4 + "undefined 2\nTypeError\n"

    def test_allowed_code_follows_the_dialect(self, program: Any) -> None:
        ran = program(
            "console.log(new Function('a', 'b', 'return a * b;')(6, 7));"
            "try { new Function('var a = 1;'); } catch (e) { console.log(e.name); }",
            engine={"unsafeFunctionConstructor": True},
        )
        assert ran.output == "42\nSyntaxError\n"

    def test_a_shadow_realm_is_apart(self, program: Any) -> None:
        ran = program(
            "const r = new ShadowRealm(); globalThis.mine = 1;"
            "console.log(r.evaluate('typeof mine'), r.evaluate('typeof console'), r.evaluate('1 + 1'));"
            "const f = r.evaluate('(cb) => cb(2)'); console.log(f((n) => n * 3), f.length);"
            "for (const bad of ['({})', 'throw 1', 'let x = ;'])"
            " { try { r.evaluate(bad); } catch (e) { console.log(e.name); } }"
            "console.log(await r.importValue('./m.js', 'v'));",
            {"/m.js": "export const v = 7;"},
            engine={"unsafeShadowRealm": True},
        )
        assert ran.output == "undefined undefined 2\n6 1\nTypeError\nTypeError\nSyntaxError\n7\n", ran.error


def test_the_test_module(program: Any) -> None:
    ran = program(
        "import { describe, expect, mock, runTests, test } from 'goccia:test';"
        "describe('sum', () => {"
        "test('adds', () => { expect(1 + 1).toBe(2); expect({ a: [1] }).toEqual({ a: [1] }); });"
        "test('fails', () => { expect(1).toBe(2); }); test.skip('later', () => {});"
        "test('waits', async () => { await null; const f = mock(() => 3); f(1); expect(f).toHaveBeenCalledWith(1); });"
        "});"
        "const r = runTests(); console.log(r.passed, r.failed, r.skipped, r.failedTests);",
    )
    assert ran.output == '2 1 1 [ \'Test "fails" in suite "sum": Expected 1 to be 2\' ]\n', ran.error
