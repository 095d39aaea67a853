// Serves the kit's requests with onnxruntime-node or onnxruntime-web: node onnxruntime.cjs PACKAGE
'use strict';
const readline = require('node:readline');
const fs = require('node:fs');
const ort = require(process.argv[2]);

// Names of ONNX's types in onnxruntime-common, and the arrays that hold their elements.
const kinds = {
  float: ['float32', Float32Array], double: ['float64', Float64Array], float16: ['float16', Uint16Array],
  int8: ['int8', Int8Array], int16: ['int16', Int16Array], int32: ['int32', Int32Array], int64: ['int64', BigInt64Array],
  uint8: ['uint8', Uint8Array], uint16: ['uint16', Uint16Array], uint32: ['uint32', Uint32Array],
  uint64: ['uint64', BigUint64Array], bool: ['bool', Uint8Array], string: ['string', Array],
};
const names = Object.fromEntries(Object.entries(kinds).map(([name, [theirs]]) => [theirs, name]));

function toTensor(input) {
  const kind = kinds[input.type];
  if (!kind) throw new Error(`unsupported: the binding has no type ${input.type}`);
  if (input.type === 'string') return new ort.Tensor('string', input.strings, input.dims);
  const bytes = Uint8Array.from(Buffer.from(input.data, 'base64')); // an aligned copy
  return new ort.Tensor(kind[0], new kind[1](bytes.buffer), input.dims);
}

function fromTensor(tensor) {
  const type = names[tensor.type];
  if (!type) throw new Error(`unsupported: a result of type ${tensor.type}`);
  const dims = Array.from(tensor.dims);
  if (type === 'string') return { type, dims, strings: Array.from(tensor.data) };
  const data = tensor.data;
  return { type, dims, data: Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64') };
}

async function answer(request) {
  const session = await ort.InferenceSession.create(fs.readFileSync(request.model), { logSeverityLevel: 4 });
  try {
    const feeds = {};
    for (const input of request.inputs) feeds[input.name] = toTensor(input);
    const results = await session.run(feeds);
    return { outputs: session.outputNames.map((name) => fromTensor(results[name])) };
  } finally {
    await session.release();
  }
}

if (ort.env.wasm) ort.env.wasm.numThreads = 1;
(async () => {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    let reply;
    try {
      reply = await answer(JSON.parse(line));
    } catch (error) {
      const message = String((error && error.message) || error);
      // It inserts casts before operators for which it has no kernel of the type, and refuses the result.
      reply = message.includes('InsertedPrecisionFreeCast') ? { unsupported: message } : { refused: message };
    }
    process.stdout.write(JSON.stringify(reply) + '\n');
  }
})();
