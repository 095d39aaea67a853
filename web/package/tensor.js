// Tensors between JavaScript and the memory of the module.
import { OnnxBroadcastError } from './wasm.js';

// Element type: the array of its elements, and how many numbers an element has. Of float16, bfloat16 and the types of 8 bits and
// fewer, the numbers are the bits of the element, one element in one number.
const STORES = {
    float: [Float32Array, 1],
    double: [Float64Array, 1],
    int8: [Int8Array, 1],
    int16: [Int16Array, 1],
    int32: [Int32Array, 1],
    int64: [BigInt64Array, 1],
    uint8: [Uint8Array, 1],
    uint16: [Uint16Array, 1],
    uint32: [Uint32Array, 1],
    uint64: [BigUint64Array, 1],
    bool: [Uint8Array, 1],
    float16: [Uint16Array, 1],
    bfloat16: [Uint16Array, 1],
    complex64: [Float32Array, 2],
    complex128: [Float64Array, 2],
    int4: [Int8Array, 1],
    int2: [Int8Array, 1],
};
const store = (type) => STORES[type] || [Uint8Array, 1]; // float8e4m3fn, uint4 ...
const STRING_BYTES = 8; // of an ob_string: address and size

const fail = (message) => {
    throw new OnnxBroadcastError(message);
};

/** A tensor: element type (as in ONNX's textual syntax), sizes, elements in row-major order. */
export class Tensor {
    constructor(type, dims, data) {
        Object.assign(this, { type, dims, data });
    }
}

// The first type of these that has such an array.
function typeOf(data, declared, name) {
    if (Array.isArray(data)) {
        if (declared) return declared;
        return data.every((item) => typeof item === 'string')
            ? 'string'
            : fail(`input "${name}": name the element type`);
    }
    const types = [declared, ...Object.keys(STORES)];
    return (
        types.find((type) => type && type !== 'string' && data instanceof store(type)[0]) ||
        fail(`input "${name}": no such array`)
    );
}

function element(type, item) {
    if (type === 'int64' || type === 'uint64') return BigInt(item);
    return Number(item);
}

/** {type, dims, data} of a fed value, checked: data is an array of the type, or of strings. */
export function complete(value, declared) {
    const { name } = declared;
    if (ArrayBuffer.isView(value) || Array.isArray(value)) value = { data: value };
    if (!value || !(ArrayBuffer.isView(value.data) || Array.isArray(value.data)))
        fail(`input "${name}": a tensor has an array "data"`);
    const type = value.type || typeOf(value.data, declared.type, name);
    const dims =
        value.dims || (declared.shape && declared.shape.every((size) => size !== null) ? declared.shape : null);
    if (!dims) fail(`input "${name}" ${declared.shapeText}: name the sizes ("dims")`);
    if (!dims.every((size) => Number.isSafeInteger(size) && size >= 0))
        fail(`input "${name}": a size is a whole number of at least 0`);
    let data = value.data;
    const [Store, each] = store(type);
    if (type === 'string') {
        if (!Array.isArray(data)) fail(`input "${name}": strings are in an Array`);
    } else if (Array.isArray(data)) data = Store.from(data, (item) => element(type, item));
    else if (!(data instanceof Store)) fail(`input "${name}": elements of type ${type} are in a ${Store.name}`);
    const n = dims.reduce((product, size) => product * size, 1) * (type === 'string' ? 1 : each);
    if (data.length !== n)
        fail(`input "${name}": ${data.length} numbers for sizes [${dims.join(', ')}], which need ${n}`);
    return { type, dims, data };
}

/** Writes a tensor where `place(size in bytes)` says. */
export function write(wasm, { type, data }, place) {
    if (type !== 'string') {
        const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
        const address = place(bytes.length); // the memory may have grown: its views are taken after this
        wasm.bytes(address, bytes.length).set(bytes);
        return;
    }
    const encoder = new TextEncoder();
    const texts = data.map((text) => encoder.encode(text));
    const size = texts.reduce((sum, bytes) => sum + bytes.length, STRING_BYTES * texts.length);
    const address = place(size);
    const view = new DataView(wasm.buffer);
    let at = address + STRING_BYTES * texts.length;
    texts.forEach((bytes, i) => {
        view.setUint32(address + STRING_BYTES * i, at, true);
        view.setUint32(address + STRING_BYTES * i + 4, bytes.length, true);
        wasm.bytes(at, bytes.length).set(bytes);
        at += bytes.length;
    });
}

/** A copy of the tensor of a view. */
export function read(wasm, view) {
    const type = wasm.string(wasm.call('dtype_name', wasm.call('view_dtype', view)));
    const rank = wasm.call('view_rank', view);
    const sizes = new BigInt64Array(wasm.bytes(wasm.call('view_dims', view), 8 * rank).slice().buffer);
    const dims = [...sizes].map(Number);
    const count = wasm.call('view_count', view) >>> 0;
    const address = wasm.call('view_data', view) >>> 0;
    if (type === 'string') {
        const words = new Uint32Array(wasm.bytes(address, STRING_BYTES * count).slice().buffer);
        const decoder = new TextDecoder();
        const text = (i) => (words[2 * i + 1] === 0 ? '' : decoder.decode(wasm.bytes(words[2 * i], words[2 * i + 1])));
        return new Tensor(
            type,
            dims,
            Array.from({ length: count }, (_, i) => text(i)),
        );
    }
    const [Store, each] = store(type);
    const copy = wasm.bytes(address, count * each * Store.BYTES_PER_ELEMENT).slice();
    return new Tensor(type, dims, new Store(copy.buffer));
}
