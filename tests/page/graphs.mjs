// Graphs for the tests, and models with them in ONNX's text form.
function random(seed) {
    let state = BigInt(seed);
    return (n) => {
        state = (state * 6364136223846793005n + 1442695040888963407n) & ((1n << 64n) - 1n);
        return Number((state >> 33n) % BigInt(n));
    };
}

// Edges between any nodes, most of them short.
export function wildGraph(seed, n) {
    const next = random(seed);
    const edges = [];
    for (let i = 1; i < n; i++)
        for (let k = 1 + (next(3) === 0) + (next(20) === 0); k > 0; k--)
            edges.push([Math.max(0, i - 1 - (next(10) ? next(8) : next(60))), i]);
    return { n, edges };
}

// A model like a transformer: `n` blocks of 55 nodes; `mask`: one input that every block reads. `names` differ in each block.
// Lines of a graph: [output, operator, inputs].
export function blocks(n, mask) {
    const lines = [];
    let x = 'x';
    for (let b = 0; b < n; b++) {
        const node = (op, ...inputs) => {
            const output = `block_${b}/${op}_${lines.length}`;
            lines.push([output, op, inputs]);
            return output;
        };
        const chain = (from, ops) => ops.reduce((at, op) => node(op, at), from);
        const start = x;
        let h = chain(x, ['Neg', 'Abs', 'Sqrt', 'Neg']);
        for (let k = 0; k < 5; k++) h = node(['Add', 'Mul', 'Sub'][k % 3], h, k % 2 ? start : 'scale');
        const [q, k, v] = [0, 1, 2].map(() => chain(h, ['Neg', 'Relu', 'Tanh', 'Neg']));
        let scores = node('Add', q, k);
        if (mask) scores = node('Add', scores, 'mask');
        const probabilities = chain(scores, ['Sigmoid', 'Abs']);
        x = node(
            'Add',
            chain(node('Mul', probabilities, v), ['Neg', 'Abs', 'Neg', 'Relu', 'Neg', 'Abs', 'Neg', 'Relu']),
            start,
        );
        const middle = x;
        for (let s = 0; s < 18; s++) x = s % 4 === 3 ? node('Add', x, middle) : chain(x, [['Relu', 'Tanh', 'Neg'][s % 3]]);
    }
    return { inputs: ['x', ...(mask ? ['mask'] : [])], weights: ['scale'], lines, outputs: [x] };
}

// A model with the edges of wildGraph. Names have different lengths, so that no part is like another.
export function wildModel(seed, n) {
    const next = random(seed + 1);
    const names = Array.from({ length: n }, (x, i) => 'v' + i + '_'.repeat(next(9)));
    const operands = names.map(() => []);
    for (const [from, to] of wildGraph(seed, n).edges) operands[to].push(names[from]);
    const lines = names.map((name, i) => [name, 'Sum', i ? [...new Set(operands[i])] : ['x']]);
    return { inputs: ['x'], weights: ['scale'], lines, outputs: [names[n - 1]] };
}

// As ONNX text.
export function textOf({ inputs, weights, lines, outputs }) {
    const type = { x: 'float[batch, 8]', mask: 'float[1, 8]' };
    const quoted = (name) => '"' + name + '"';
    const body = lines.map(([output, op, operands]) => `  ${quoted(output)} = ${op}(${operands.map(quoted).join(', ')})`);
    const head = '<ir_version: 8, opset_import: ["" : 17]>\nblocks';
    const given = inputs.map((i) => (type[i] || 'float[batch, 8]') + ' ' + quoted(i)).join(', ');
    const made = outputs.map((o) => 'float[batch, 8] ' + quoted(o)).join(', ');
    const constant = weights.map((w) => `float[8] ${quoted(w)} = {1, 1, 1, 1, 1, 1, 1, 1}`).join(', ');
    return `${head} (${given}) => (${made})\n<${constant}>\n{\n${body.join('\n')}\n}\n`;
}

// As the report of a check has it, without findings.
export function reportOf({ inputs, weights, lines, outputs }) {
    const names = [...inputs, ...weights, ...lines.map((l) => l[0])];
    const index = new Map(names.map((name, i) => [name, i]));
    const kind = (i) =>
        i < inputs.length
            ? 'input'
            : i < inputs.length + weights.length
              ? 'initializer'
              : outputs.includes(names[i])
                ? 'output'
                : 'inner';
    const range = (from, n) => Array.from({ length: n }, (x, i) => from + i);
    return {
        file: 'blocks.onnx',
        findings: [],
        broadcasts: [],
        conditions: [],
        values: names.map((name, i) => ({
            name,
            path: '',
            kind: kind(i),
            type: 'float[batch,8]',
            dtype: 'float',
            shape: ['batch', 8],
        })),
        graph: {
            graphs: [
                {
                    path: '',
                    kind: 'main',
                    name: 'blocks',
                    node: null,
                    attribute: '',
                    inputs: range(0, inputs.length),
                    initializers: range(inputs.length, weights.length),
                    outputs: outputs.map((o) => index.get(o)),
                },
            ],
            nodes: lines.map(([output, op, operands]) => ({
                graph: 0,
                name: output,
                op_type: op,
                domain: '',
                inputs: operands.map((o) => index.get(o)),
                outputs: [index.get(output)],
                graphs: [],
                function: null,
            })),
            findings: [],
            broadcasts: [],
            origins: [],
            axes: names.map(() => null),
        },
    };
}
