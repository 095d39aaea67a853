/**
 * onnx-broadcast as WebAssembly: checks, rewrites and runs ONNX models.
 *
 * `load()` is asynchronous, all other functions are not: call them from a worker when a model takes long. One library has one
 * memory of at most 4 GiB. Models and sessions hold memory of it until they are closed.
 */

/** A failure. The message names file, node, axis and sizes where they are known. */
export class OnnxBroadcastError extends Error {
    /**
     * The status of the C library without OB_: "E_SHAPE", "E_FORMAT", "E_UNSUPPORTED", "E_ARGUMENT" ...
     * "E_INTERNAL": the module
     * has stopped; `load()` makes another one.
     */
    readonly code: string;
    /** The name of the node, or "". */
    readonly node: string;
    /** The type of its operator, or "". */
    readonly opType: string;
    /** The name of the value, or "". */
    readonly value: string;
    /** The axis, or -1. */
    readonly axis: number;
}

export interface LoadOptions {
    /** The module: its address, its bytes, or compiled. Default: onnx-broadcast.wasm beside this file. */
    source?: URL | string | ArrayBuffer | Uint8Array | WebAssembly.Module;
    /**
     * Hears of each step of reading, checking and writing. Return false to end a check; it throws E_CANCELLED.
     * What it throws ends
     * the check as well.
     */
    onProgress?: (step: string) => boolean | void;
}

/** Loads the library. */
export function load(options?: LoadOptions): Promise<Library>;

export interface Library {
    /** "0.1.0" */
    readonly version: string;
    /** The compiled module: `load({ source: module })` makes a second library, also in a worker. */
    readonly module: WebAssembly.Module;
    /** Bytes of the library's memory. It grows when models need more, and does not shrink. */
    readonly memoryBytes: number;
    /**
     * Reads a model: a binary ModelProto, ONNX's textual syntax, or protobuf's text or JSON. The bytes are
     * copied. Weights in other
     * files are not read. `name` stands in messages and reports.
     */
    open(bytes: Uint8Array | ArrayBuffer, name?: string): Model;
}

export interface CheckOptions {
    /** Rules of broadcasting: "onnx" (default), "numpy", "array-api", "mlir", "xla", "sonnx". */
    rules?: string;
    /** Sizes of symbols: { batch: 3 }. */
    dims?: Record<string, number>;
    /** Shapes of inputs: { x: [1, 3, null, null] }; null: an open size. */
    shapes?: Record<string, (number | null)[]>;
    /** Conditions that hold: ["batch >= 1"]. */
    assumptions?: string[];
    /** Deployment targets: ["tosa-8k"]. */
    targets?: string[];
    /** Other severities: { OB0401: "error", OB02: "none" }. */
    severities?: Record<string, 'error' | 'warning' | 'note' | 'none'>;
    /** Findings to leave out at nodes: [["OB0401", "layer_1/*"]]. */
    ignores?: [id: string, pattern: string][];
    /** Opsets to read the model as: { "": 22 }. */
    opsets?: Record<string, number>;
    maxNodes?: number;
    maxFindingBytes?: number;
}

export interface ReportOptions extends CheckOptions {
    /** JSON has the section "graph". */
    graph?: boolean;
    /** The report has the cost of explicit broadcasts. */
    cost?: boolean;
}

/** The report of one model: an element of "models" in the schema of onnx-broadcast-check's JSON, version 2. */
export interface Report {
    file: string;
    findings: Finding[];
    summary: { errors: number; warnings: number; notes: number; [more: string]: unknown };
    contract: { [more: string]: unknown };
    [more: string]: unknown;
}

export interface Finding {
    id: string;
    severity: 'error' | 'warning' | 'note';
    node: string;
    op_type: string;
    message: string;
    [more: string]: unknown;
}

export interface Rewritten {
    /** The file of the rewritten model. */
    bytes: Uint8Array;
    inserted: number;
    removed: number;
    lowered: number;
    functions: number;
    weights: number;
    exchanged: number;
    /** Nodes that stay as they were, each with the reason. */
    left: { node: string; opType: string; reason: string }[];
}

export interface Fix {
    id: string;
    node: string;
    opType: string;
    path: string;
    kind: string;
    /** The change, as one sentence. */
    text: string;
    outcome: 'applied' | 'refused' | 'unsafe';
    /** "" when the fix was applied. */
    reason: string;
    before: string;
    after: string;
}

export interface Model {
    /** Checks the model. */
    check(options?: ReportOptions): Report;
    /** Checks the model and writes the report. */
    report(format: 'json' | 'html' | 'sarif' | 'github' | 'markdown', options?: ReportOptions): string;
    /**
     * A copy with explicit broadcasts ("broadcast", "function", "expand"), with implicit ones ("implicit"), or
     * in the form that a
     * deployment target accepts ("target:tosa-8k"). The ending of `fileName` decides the format of the file:
     * .onnx, .onnxtxt ...
     */
    rewrite(form?: string, options?: { fileName?: string; opsets?: Record<string, number> }): Rewritten;
    /** A copy in which findings are fixed: safe fixes; with `ids` those of these findings; with `all` each one. */
    fix(options?: CheckOptions & { fileName?: string; ids?: string[]; all?: boolean }): {
        bytes: Uint8Array;
        fixes: Fix[];
    };
    /** Prepares the model for runs. All its operators must be known, and its inputs and outputs must be tensors. */
    session(options?: SessionOptions): Session;
    /** Gives the memory back, also that of its sessions. */
    close(): void;
}

export interface SessionOptions {
    dims?: Record<string, number>;
    opsets?: Record<string, number>;
    /** Limit in bytes for the memory of the session. */
    maxMemory?: number;
    /** Limit in milliseconds for each run: E_LIMIT. */
    maxRunMs?: number;
    /** false: each node runs as it stands. Results have the same bits. */
    optimize?: boolean;
}

export type Elements =
    | Float32Array
    | Float64Array
    | Int8Array
    | Int16Array
    | Int32Array
    | Uint8Array
    | Uint16Array
    | Uint32Array
    | BigInt64Array
    | BigUint64Array;

/** A tensor of a result. */
export class Tensor {
    constructor(type: string, dims: number[], data: Elements | string[]);
    /** "float", "int64", "bool", "string" ... as in ONNX's textual syntax. */
    readonly type: string;
    readonly dims: number[];
    /**
     * Row-major. float16 and bfloat16: the bits in a Uint16Array; types of 8 bits and fewer: one element in each
     * number; complex:
     * real and imaginary parts in turn.
     */
    readonly data: Elements | string[];
}

/** A tensor to feed. Without a type: the declared one, or that of the array. Without dims: the declared ones. */
export type Feed =
    | { type?: string; dims?: number[]; data: Elements | number[] | bigint[] | boolean[] | string[] }
    | Elements
    | string[];

export interface ValueInfo {
    name: string;
    /** false: a sequence, an optional or a map, which only the C and Python interfaces pass. */
    tensor: boolean;
    /** The element type; null when it is not known. */
    type: string | null;
    /** Sizes from the first axis on, null where a size is open; null when the rank is not known. */
    shape: (number | null)[] | null;
    /** "[N, 3, 224, 224]" */
    shapeText: string;
}

export interface Session {
    readonly inputs: ValueInfo[];
    readonly outputs: ValueInfo[];
    /** Computes the outputs by their names. */
    run(feeds: Record<string, Feed>): Record<string, Tensor>;
    close(): void;
}
