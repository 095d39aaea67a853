// Places the nodes of a graph in layers from top to bottom. The graph is cut between layers where few values cross, a library
// lays out each part, and the parts are stacked. Time is then linear in the size of the graph, and a part is small enough for
// the good and slow methods of the library.

const PART_LEAST = 40; // nodes of a part before a cut is looked for
const PART_MOST = 120; // a cut is made here at the latest
const LIBRARY_MOST = 1500; // parts with more nodes and crossing values are placed by rows
const FARTHEST = 320; // from the middle: a part that would be farther away is moved to the middle
export const LAYER_GAP = 46;
export const NODE_GAP = 26;

// Longest path from the sources, in topological order. Nodes on a cycle, which no valid model has, get layer 0 first.
// Returns {layer, order}; a node without producers moves down to its readers.
export function layers(n, from, to) {
    const layer = new Int32Array(n);
    const waits = new Int32Array(n);
    const out = adjacency(n, from, to);
    for (const t of to) waits[t]++;
    const order = [];
    for (let i = 0; i < n; i++) if (!waits[i]) order.push(i);
    for (let k = 0; k < order.length; k++) {
        const i = order[k];
        for (let e = out.start[i]; e < out.start[i + 1]; e++) {
            const t = to[out.edges[e]];
            if (layer[t] < layer[i] + 1) layer[t] = layer[i] + 1;
            if (--waits[t] === 0) order.push(t);
        }
    }
    const nIn = new Int32Array(n);
    for (const t of to) nIn[t]++;
    for (let k = order.length - 1; k >= 0; k--) {
        const i = order[k];
        const nOut = out.start[i + 1] - out.start[i];
        if (nOut === 0 || nIn[i] >= nOut) continue;
        let first = Infinity;
        for (let e = out.start[i]; e < out.start[i + 1]; e++) first = Math.min(first, layer[to[out.edges[e]]]);
        if (first - 1 > layer[i]) layer[i] = first - 1;
    }
    return { layer, order };
}

// Edges by the node that they leave: edges[start[i] .. start[i + 1]).
export function adjacency(n, from) {
    const start = new Int32Array(n + 1);
    for (const f of from) start[f + 1]++;
    for (let i = 0; i < n; i++) start[i + 1] += start[i];
    const at = start.slice(0, n);
    const edges = new Int32Array(from.length);
    for (let e = 0; e < from.length; e++) edges[at[from[e]]++] = e;
    return { start, edges };
}

// Divides the layers into parts: [{first, last}], cut where the fewest values cross.
export function cuts(n, layer, from, to) {
    let nLayers = 0;
    for (let i = 0; i < n; i++) nLayers = Math.max(nLayers, layer[i] + 1);
    const size = new Int32Array(nLayers);
    for (let i = 0; i < n; i++) size[layer[i]]++;
    // crossing[r]: values that cross from layer r to r + 1
    const change = new Int32Array(nLayers + 1);
    const lowest = new Int32Array(n).fill(-1);
    for (let e = 0; e < from.length; e++) lowest[from[e]] = Math.max(lowest[from[e]], layer[to[e]]);
    for (let i = 0; i < n; i++) {
        if (lowest[i] <= layer[i]) continue;
        change[layer[i]]++;
        change[lowest[i]]--;
    }
    const crossing = new Int32Array(nLayers);
    for (let r = 0, open = 0; r < nLayers; r++) crossing[r] = open += change[r];
    const parts = [];
    for (let first = 0; first < nLayers;) {
        let nodes = 0;
        let best = -1;
        let r = first;
        for (; r < nLayers; r++) {
            nodes += size[r];
            if (nodes >= PART_MOST && best >= 0) break;
            if (nodes >= PART_LEAST && r + 1 < nLayers && (best < 0 || crossing[r] < crossing[best])) best = r;
            if (nodes >= PART_LEAST && crossing[r] <= 1 && r + 1 < nLayers) {
                best = r;
                break;
            }
        }
        const last = r >= nLayers ? nLayers - 1 : best;
        parts.push({ first, last });
        first = last + 1;
    }
    return parts;
}

// Layout of a whole graph.
//   graph: {n, width, height: of nodes, from, to: of edges}
//   library(nodes: [{width, height, layer}], edges: [[from, to]]) places a part: {x, y: centres, lines: [[x, y, x, y ...]],
//   height}; NULL: all parts by rows
//   progress(done, all) is called after each part
// Returns {x, y, width, height, segments}: a segment is {from, to, points}, `to` -1 in parts above the reader.
export function layoutGraph(graph, library, progress) {
    const { n, from, to } = graph;
    const { layer } = layers(n, from, to);
    const parts = cuts(n, layer, from, to);
    const partOf = new Int32Array(parts.length ? parts[parts.length - 1].last + 1 : 0);
    parts.forEach((part, p) => {
        part.nodes = [];
        part.edges = [];
        part.in = new Map(); // values that enter from above: node that makes the value -> index in the part
        part.out = new Map();
        for (let r = part.first; r <= part.last; r++) partOf[r] = p;
    });
    const place = new Int32Array(n);
    for (let i = 0; i < n; i++) place[i] = parts[partOf[layer[i]]].nodes.push(i) - 1;
    for (let e = 0; e < from.length; e++) {
        const a = partOf[layer[from[e]]];
        const b = partOf[layer[to[e]]];
        if (a > b || layer[from[e]] >= layer[to[e]]) continue; // an edge of a cycle
        if (a === b) parts[a].edges.push([place[from[e]], place[to[e]], from[e], to[e]]);
        for (let p = a; p < b; p++) passOn(parts[p], from[e], p === a ? place[from[e]] : -1);
        if (a < b) parts[b].edges.push([portIn(parts[b], from[e]), place[to[e]], from[e], to[e]]);
    }
    const x = new Float64Array(n);
    const y = new Float64Array(n);
    const segments = [];
    let top = 0;
    let above = new Map();
    const known = new Map(); // repeated blocks of a model are placed once
    parts.forEach((part, p) => {
        const ports = new Map(); // node that makes the value -> x at the lower edge
        const placed = placePart(part, graph, layer, library, known);
        let shift = 0;
        if (part.in.size) {
            for (const [value, k] of part.in) shift += above.get(value) - placed.x[part.nodes.length + k];
            shift /= part.in.size;
        } else {
            shift = -(placed.left + placed.right) / 2;
        }
        const middle = shift + (placed.left + placed.right) / 2;
        if (Math.abs(middle) > FARTHEST) shift -= middle;
        // Where values do not come out straight above their entry, a band of their own joins both.
        let bend = 0;
        for (const [value, k] of part.in)
            bend = Math.max(bend, Math.abs(above.get(value) - placed.x[part.nodes.length + k] - shift));
        const band = p === 0 ? 0 : bend > 1 ? Math.min(160, LAYER_GAP + bend / 12) : 0;
        for (const [value, k] of part.in) {
            const xIn = placed.x[part.nodes.length + k] + shift;
            if (band) segments.push({ from: value, to: -1, points: [above.get(value), top, xIn, top + band] });
        }
        top += band;
        part.nodes.forEach((i, k) => {
            x[i] = placed.x[k] + shift;
            y[i] = placed.y[k] + top;
        });
        part.edges.forEach((edge, k) => {
            const points = placed.lines[k];
            for (let c = 0; c < points.length; c += 2) {
                points[c] += shift;
                points[c + 1] += top;
            }
            segments.push({ from: edge[2], to: edge[3], points });
        });
        for (const [value, k] of part.out) ports.set(value, placed.x[part.nodes.length + part.in.size + k] + shift);
        above = ports;
        top += placed.height;
        if (!part.out.size) top += LAYER_GAP;
        if (progress) progress(p + 1, parts.length);
    });
    return { x, y, segments, ...frame(graph, x, y) };
}

function portIn(part, value) {
    if (!part.in.has(value)) part.in.set(value, part.in.size);
    return -1 - part.in.get(value); // resolved in placePart: the number of nodes is not known yet
}

// The value leaves the part at its lower edge; place -1: it also enters at the upper edge.
function passOn(part, value, place) {
    if (part.out.has(value)) return;
    part.out.set(value, part.out.size);
    part.edges.push([place >= 0 ? place : portIn(part, value), { out: part.out.get(value) }, value, -1]);
}

function placePart(part, graph, layer, library, known) {
    const nIn = part.in.size;
    const nOut = part.out.size;
    const nodes = part.nodes.map((i) => ({
        width: graph.width[i],
        height: graph.height[i],
        layer: layer[i] - part.first + 1,
    }));
    for (let k = 0; k < nIn; k++) nodes.push({ width: 2, height: 0, layer: 0 });
    for (let k = 0; k < nOut; k++) nodes.push({ width: 2, height: 0, layer: part.last - part.first + 2 });
    const edges = part.edges.map(([a, b]) => [
        a < 0 ? part.nodes.length - 1 - a : a,
        typeof b === 'object' ? part.nodes.length + nIn + b.out : b,
    ]);
    const small = nodes.length + edges.length < 2 * LIBRARY_MOST && !isWide(nodes);
    const key = small ? JSON.stringify([nodes.map((node) => [node.width, node.height, node.layer]), edges]) : '';
    let placed = known.get(key);
    if (!placed) {
        placed = library && small && nodes.length > 1 ? library(nodes, edges) : placeByRows(nodes, edges);
        if (small) known.set(key, placed);
    }
    placed = { ...placed, lines: placed.lines.map((points) => points.slice()) };
    placed.left = Infinity;
    placed.right = -Infinity;
    nodes.forEach((node, k) => {
        placed.left = Math.min(placed.left, placed.x[k] - node.width / 2);
        placed.right = Math.max(placed.right, placed.x[k] + node.width / 2);
    });
    return placed;
}

function isWide(nodes) {
    const count = new Map();
    for (const node of nodes) count.set(node.layer, (count.get(node.layer) || 0) + 1);
    return Math.max(...count.values()) > 300;
}

// Rows in the order of the mean place of the producers. For parts that are too large for the library.
export function placeByRows(nodes, edges) {
    const rows = [];
    nodes.forEach((node, k) => (rows[node.layer] = rows[node.layer] || []).push(k));
    const producers = nodes.map(() => []);
    for (const [a, b] of edges) producers[b].push(a);
    const x = new Float64Array(nodes.length);
    const y = new Float64Array(nodes.length);
    let top = 0;
    let any = false;
    for (let r = 0; r < rows.length; r++) {
        const row = rows[r] || [];
        const wish = new Map();
        for (const k of row) {
            let sum = 0;
            for (const a of producers[k]) sum += x[a];
            wish.set(k, producers[k].length ? sum / producers[k].length : 0);
        }
        row.sort((a, b) => wish.get(a) - wish.get(b) || a - b);
        let wide = -NODE_GAP;
        let mean = 0;
        let high = 0;
        for (const k of row) {
            wide += nodes[k].width + NODE_GAP;
            mean += wish.get(k) / row.length;
            high = Math.max(high, nodes[k].height);
        }
        if (any && row.length) top += LAYER_GAP;
        let at = mean - wide / 2;
        for (const k of row) {
            x[k] = at + nodes[k].width / 2;
            y[k] = top + high / 2;
            at += nodes[k].width + NODE_GAP;
        }
        top += high;
        any = any || row.length > 0;
    }
    const lines = edges.map(([a, b]) => [x[a], y[a] + nodes[a].height / 2, x[b], y[b] - nodes[b].height / 2]);
    return { x, y, lines, height: top };
}

// Moves the picture so that it begins at 0, 0.
function frame(graph, x, y) {
    let left = Infinity;
    let right = -Infinity;
    let bottom = 0;
    for (let i = 0; i < graph.n; i++) {
        left = Math.min(left, x[i] - graph.width[i] / 2);
        right = Math.max(right, x[i] + graph.width[i] / 2);
        bottom = Math.max(bottom, y[i] + graph.height[i] / 2);
    }
    return graph.n ? { left, width: right - left, height: bottom } : { left: 0, width: 0, height: 0 };
}
