"""The part of the engine's public C interface that the binding uses, and the command that turns it into ``abi.py``.

``python -m goccia_tools.child.engines._quickjs.declarations`` writes ``abi.py`` again (needs cffi's parser; the
child itself imports only the generated module). A value is two machine words passed by value; whatever has
a negative tag is reference counted.
"""

from __future__ import annotations

#: unchanged from QuickJS-NG 0.13 to 0.17, apart from results that nobody reads
CDEF = """
typedef struct { uint64_t u; int64_t tag; } JSValue;
typedef union { uint64_t u; int32_t int32; double float64; void *pointer; } JSPayload;
typedef uint32_t JSAtom;
typedef struct JSRuntime JSRuntime;
typedef struct JSContext JSContext;
typedef struct JSModuleDef JSModuleDef;
typedef struct { bool is_enumerable; JSAtom atom; } JSPropertyEnum;
typedef struct {
    int64_t malloc_size, malloc_limit, memory_used_size, malloc_count, memory_used_count;
    int64_t rest[21];
} JSMemoryUsage;

typedef int JSInterruptHandler(JSRuntime *, void *);
typedef char *JSModuleNormalizeFunc2(JSContext *, const char *, const char *, JSValue, void *);
typedef char *JSModuleNormalizeFunc(JSContext *, const char *, const char *, void *);
typedef JSModuleDef *JSModuleLoaderFunc2(JSContext *, const char *, void *, JSValue);
typedef int JSModuleCheckAttributes(JSContext *, void *, JSValue);
typedef JSValue JSCFunctionMagic(JSContext *, JSValue, int, JSValue *, int);

const char *JS_GetVersion(void);
JSRuntime *JS_NewRuntime(void);
void JS_FreeRuntime(JSRuntime *);
void JS_SetMemoryLimit(JSRuntime *, size_t);
void JS_SetGCThreshold(JSRuntime *, size_t);
void JS_SetMaxStackSize(JSRuntime *, size_t);
void JS_UpdateStackTop(JSRuntime *);
void JS_SetCanBlock(JSRuntime *, bool);
void JS_RunGC(JSRuntime *);
void JS_ComputeMemoryUsage(JSRuntime *, JSMemoryUsage *);
void JS_SetInterruptHandler(JSRuntime *, JSInterruptHandler *, void *);
void JS_SetModuleLoaderFunc2(JSRuntime *, JSModuleNormalizeFunc *, JSModuleLoaderFunc2 *, JSModuleCheckAttributes *,
                             void *);
void JS_SetModuleNormalizeFunc2(JSRuntime *, JSModuleNormalizeFunc2 *);
bool JS_IsJobPending(JSRuntime *);
int JS_ExecutePendingJob(JSRuntime *, JSContext **);
void *js_malloc_rt(JSRuntime *, size_t);
void js_free_rt(JSRuntime *, void *);

JSContext *JS_NewContext(JSRuntime *);
void JS_FreeContext(JSContext *);
void *js_malloc(JSContext *, size_t);
void js_free(JSContext *, void *);
JSValue JS_Eval(JSContext *, const char *, size_t, const char *, int);
JSValue JS_EvalFunction(JSContext *, JSValue);
uint8_t *JS_WriteObject(JSContext *, size_t *, JSValue, int);
JSValue JS_ReadObject(JSContext *, const uint8_t *, size_t, int);
JSValue JS_Call(JSContext *, JSValue, JSValue, int, JSValue *);
JSValue JS_GetGlobalObject(JSContext *);
JSValue JS_GetPropertyStr(JSContext *, JSValue, const char *);
JSValue JS_GetProperty(JSContext *, JSValue, JSAtom);
int JS_SetPropertyStr(JSContext *, JSValue, const char *, JSValue);
int JS_DefinePropertyValueStr(JSContext *, JSValue, const char *, JSValue, int);
int JS_DefinePropertyValueUint32(JSContext *, JSValue, uint32_t, JSValue, int);
int JS_GetOwnPropertyNames(JSContext *, JSPropertyEnum **, uint32_t *, JSValue, int);
void JS_FreePropertyEnum(JSContext *, JSPropertyEnum *, uint32_t);
const char *JS_AtomToCStringLen(JSContext *, size_t *, JSAtom);
JSValue JS_NewObjectProto(JSContext *, JSValue);
JSValue JS_NewStringLen(JSContext *, const char *, size_t);
JSValue JS_NewArrayBufferCopy(JSContext *, const uint8_t *, size_t);
uint8_t *JS_GetArrayBuffer(JSContext *, size_t *, JSValue);
JSValue JS_GetTypedArrayBuffer(JSContext *, JSValue, size_t *, size_t *, size_t *);
int JS_GetTypedArrayType(JSValue);
bool JS_IsArrayBuffer(JSValue);
bool JS_IsProxy(JSValue);
JSValue JS_NewCFunction2(JSContext *, JSCFunctionMagic *, const char *, int, int, int);
const char *JS_ToCStringLen2(JSContext *, size_t *, JSValue, bool);
void JS_FreeCString(JSContext *, const char *);
JSValue JS_DupValue(JSContext *, JSValue);
void JS_FreeValue(JSContext *, JSValue);
void JS_FreeValueRT(JSRuntime *, JSValue);
JSValue JS_Throw(JSContext *, JSValue);
JSValue JS_GetException(JSContext *);
JSValue JS_NewError(JSContext *);
void JS_SetUncatchableError(JSContext *, JSValue);
bool JS_IsUncatchableError(JSValue);
JSValue JS_GetModuleNamespace(JSContext *, JSModuleDef *);
JSValue JS_GetImportMeta(JSContext *, JSModuleDef *);
int JS_PromiseState(JSContext *, JSValue);
JSValue JS_PromiseResult(JSContext *, JSValue);
"""

MODULE = "goccia_tools.child.engines._quickjs.abi"


def generate(target_path: str) -> None:
    """Write the module that declares :data:`CDEF` without a parser at run time."""
    from cffi import FFI

    builder = FFI()
    builder.cdef(CDEF)
    builder.set_source(MODULE, None)
    builder.emit_python_code(target_path)


if __name__ == "__main__":
    import pathlib

    generate(str(pathlib.Path(__file__).with_name("abi.py")))
