import { layoutGraph, LAYER_GAP, NODE_GAP } from './divide.js';

// The library @dagrejs/dagre for one part: layers are given, it orders and places.
export function dagreLibrary(dagre) {
    return (nodes, edges) => {
        const graph = new dagre.Graph();
        // Between two layers the library wants one more for labels of edges. It also adds a root, which it removes again.
        const ranker = (g) => {
            for (const id of g.nodes()) g.node(id).rank = id in layerOf ? 2 * layerOf[id] : 0;
        };
        const layerOf = Object.create(null);
        nodes.forEach((node, k) => (layerOf[k] = node.layer));
        graph.setGraph({ ranker, nodesep: NODE_GAP, edgesep: 14, ranksep: LAYER_GAP });
        nodes.forEach((node, k) => graph.setNode(String(k), { width: node.width, height: node.height }));
        const label = new Map(); // an edge between the same two nodes is laid out once
        for (const [a, b] of edges) {
            const key = a + ' ' + b;
            if (label.has(key)) continue;
            label.set(key, { weight: 1 });
            graph.setEdge(String(a), String(b), label.get(key));
        }
        dagre.layout(graph);
        const x = new Float64Array(nodes.length);
        const y = new Float64Array(nodes.length);
        let top = Infinity;
        let bottom = -Infinity;
        nodes.forEach((node, k) => {
            const at = graph.node(String(k));
            x[k] = at.x;
            y[k] = at.y;
            top = Math.min(top, at.y - node.height / 2);
            bottom = Math.max(bottom, at.y + node.height / 2);
        });
        y.forEach((value, k) => (y[k] = value - top));
        const lines = edges.map(([a, b]) => {
            const inner = label.get(a + ' ' + b).points.slice(1, -1);
            const points = [between(inner[0].x, x[a], nodes[a].width), y[a] + nodes[a].height / 2];
            for (const p of inner) points.push(p.x, p.y - top);
            return [...points, between(inner[inner.length - 1].x, x[b], nodes[b].width), y[b] - nodes[b].height / 2];
        });
        return { x, y, lines, height: bottom - top };
    };
}

// Edges leave a box at its lower and reach it at its upper side, near the middle.
function between(wish, middle, width) {
    return Math.min(middle + width * 0.3, Math.max(middle - width * 0.3, wish));
}

// In the page: a worker of its own, which the page ends when the reader cancels.
if (typeof self !== 'undefined' && typeof dagre === 'object' && typeof document === 'undefined') {
    self.onmessage = (event) => {
        const started = Date.now();
        let told = started;
        const result = layoutGraph(event.data, dagreLibrary(dagre), (done, all) => {
            if (Date.now() - told < 100) return;
            told = Date.now();
            self.postMessage({ progress: done / all });
        });
        self.postMessage({ result, ms: Date.now() - started });
    };
}
