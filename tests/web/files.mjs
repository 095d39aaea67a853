// What the tests of the WebAssembly package and its page share: the package, native answers, NumPy files.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tool, top } from '../page/files.mjs';

export { models, shared, tool, top } from '../page/files.mjs';
export const folder = join(top, 'build-wasm');
export const packed = join(folder, 'package');
export const site = join(folder, 'site');

/** Packs the package as npm publishes it and installs it in a folder of its own. */
export function install() {
    const at = mkdtempSync(join(tmpdir(), 'ob-npm-'));
    const npm = (...words) =>
        execFileSync('npm', [...words, '--offline', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: at });
    const [list] = JSON.parse(npm('pack', '--json', packed));
    writeFileSync(join(at, 'package.json'), '{"name": "user", "private": true, "type": "module"}');
    npm('install', './' + list.filename);
    return { at, list, remove: () => rmSync(at, { recursive: true, force: true }) };
}

/** The answer of the command for the same model. */
export function nativeReport(file, format, ...options) {
    const made = spawnSync(tool('onnx-broadcast-check'), [file, '--format', format, ...options], {
        maxBuffer: 1 << 30,
    });
    return { status: made.status, text: String(made.stdout), error: String(made.stderr) };
}

// ---- NumPy files, which the command reads and writes. ----

const KINDS = {
    float: ['<f4', Float32Array],
    double: ['<f8', Float64Array],
    int8: ['|i1', Int8Array],
    int16: ['<i2', Int16Array],
    int32: ['<i4', Int32Array],
    int64: ['<i8', BigInt64Array],
    uint8: ['|u1', Uint8Array],
    uint16: ['<u2', Uint16Array],
    uint32: ['<u4', Uint32Array],
    uint64: ['<u8', BigUint64Array],
    bool: ['|b1', Uint8Array],
    float16: ['<f2', Uint16Array],
};

export const hasNumpy = (type) => Object.hasOwn(KINDS, type);
export const arrayOf = (type) => KINDS[type][1];

export function writeNumpy(file, { type, dims, data }) {
    let head = `{'descr': '${KINDS[type][0]}', 'fortran_order': False, 'shape': (${dims.map((n) => n + ',').join(' ')}), }`;
    head = head.padEnd(Math.ceil((head.length + 11) / 64) * 64 - 11) + '\n';
    const size = Buffer.alloc(2);
    size.writeUInt16LE(head.length);
    const magic = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0]);
    writeFileSync(
        file,
        Buffer.concat([magic, size, Buffer.from(head), Buffer.from(data.buffer, data.byteOffset, data.byteLength)]),
    );
}

export function readNumpy(file) {
    const bytes = readFileSync(file);
    const start = 10 + bytes.readUInt16LE(8);
    const head = String(bytes.subarray(10, start));
    const kind = /'descr': '([^']+)'/.exec(head)[1];
    const [type, [, Store]] = Object.entries(KINDS).find(([, [name]]) => name === kind);
    const dims = /'shape': \(([^)]*)\)/
        .exec(head)[1]
        .split(',')
        .filter((n) => n.trim())
        .map(Number);
    const data = new Store(bytes.buffer.slice(bytes.byteOffset + start, bytes.byteOffset + bytes.length));
    return { type, dims, data };
}

/** Runs the command with these inputs: the outputs in their order, or the message. */
export function nativeRun(file, inputs, outputs, options) {
    const at = mkdtempSync(join(tmpdir(), 'ob-run-'));
    try {
        const words = inputs.flatMap(([name, tensor], i) => {
            writeNumpy(join(at, i + '.npy'), tensor);
            return ['--input', `${name}=${join(at, i + '.npy')}`];
        });
        // Without fused multiply-add, as in the module.
        const env = { ...process.env, OB_ISA: 'baseline' };
        const made = spawnSync(
            tool('onnx-broadcast-run'),
            [file, ...words, ...options, '--quiet', '--output-dir', at, '--npy'],
            { env },
        );
        if (made.status !== 0) return { failed: String(made.stderr) };
        const name = (k) => join(at, `output_${k}.npy`);
        return { outputs: outputs.map((_, k) => (existsSync(name(k)) ? readNumpy(name(k)) : null)) };
    } finally {
        rmSync(at, { recursive: true, force: true });
    }
}

/** Numbers that are the same in every run: mulberry32. */
export function random(seed) {
    let state = seed >>> 0;
    return () => {
        state = (state + 0x6d2b79f5) >>> 0;
        let t = Math.imul(state ^ (state >>> 15), 1 | state);
        t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
        return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
    };
}
