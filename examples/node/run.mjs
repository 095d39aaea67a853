// A model with explicit broadcasting in ONNX Runtime for Node.js, whose binding cannot register custom operators: the form
// `function` carries the definition of its broadcasts and needs none.
//
//     $ onnx-broadcast-check ../../models/scale_bias_nchw.onnx -o scale_bias.onnx --emit function --quiet
//     $ npm install onnxruntime-node
//     $ node run.mjs scale_bias.onnx
//
// It writes input.npy and output.npy too; the executor of this project gives the same bits for the original:
//
//     $ onnx-broadcast-run ../../models/scale_bias_nchw.onnx --input input.npy --output-dir . --npy
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url); // unlike import, it looks in NODE_PATH too
const ort = require('onnxruntime-node');

// Float tensors as NumPy writes them: a header padded to 64 bytes, then the elements.
function writeNpy(path, tensor) {
    const dims = tensor.dims.map((d) => `${d}, `).join('');
    const text = `{'descr': '<f4', 'fortran_order': False, 'shape': (${dims}), }`;
    const header = text.padEnd(Math.ceil((10 + text.length + 1) / 64) * 64 - 11) + '\n';
    const start = Buffer.from([0x93, ...Buffer.from('NUMPY'), 1, 0, header.length & 255, header.length >> 8]);
    const { buffer, byteOffset, byteLength } = tensor.data;
    writeFileSync(path, Buffer.concat([start, Buffer.from(header, 'latin1'), Buffer.from(buffer, byteOffset, byteLength)]));
}

const session = await ort.InferenceSession.create(process.argv[2] ?? 'scale_bias.onnx');
console.log(`inputs: ${session.inputNames}; outputs: ${session.outputNames}`);

// Batch, height and width are open in the model; 3 channels. The scale and bias of each channel are stretched over all of it.
for (const [batch, height, width] of [[1, 2, 2], [2, 1, 3], [0, 2, 2], [1, 2, 3]]) {
    const dims = [batch, 3, height, width];
    const elements = Float32Array.from({ length: batch * 3 * height * width }, (_, i) => i / 4 - 1);
    const input = new ort.Tensor('float32', elements, dims);
    const { [session.outputNames[0]]: output } = await session.run({ [session.inputNames[0]]: input });
    console.log(`[${dims}] -> [${output.dims}]:`, ...Array.from(output.data, (x) => x.toFixed(4)));
    writeNpy('input.npy', input);
    writeNpy('output.npy', output);
}
