import { el, fill, nameOf, sign, LongList } from './dom.js';
import { bytesText, matches, plural, shown } from './text.js';
import { isSymbol, readContract, repairs, testContract } from './terms.js';

const ORDER = { error: 0, warning: 1, note: 2, none: 3 };

export function verdict(json) {
    const { summary, contract } = json;
    if (summary.errors) return { kind: 'error', text: plural(summary.errors, 'error') };
    if (contract.status === 'contradictory') return { kind: 'error', text: 'No sizes work' };
    const warned = summary.warnings ? ', ' + plural(summary.warnings, 'warning') : '';
    if (contract.status === 'partial')
        return { kind: summary.warnings ? 'warning' : 'unknown', text: 'Verified in part' + warned };
    if (contract.clauses.length)
        return {
            kind: summary.warnings ? 'warning' : 'good',
            text: 'Sound under ' + plural(contract.clauses.length, 'condition') + warned,
        };
    return { kind: summary.warnings ? 'warning' : 'good', text: 'Sound for all sizes' + warned };
}

export function placeName(item) {
    return [item.path ? el('span', { class: 'path' }, shown(item.path, 60)) : null, nameOf(item.node || item.value || '', 60)];
}

// ---- Findings ----

export function findingsPanel(json, onOpen) {
    const findings = json.findings;
    const ids = [...new Set(findings.map((f) => f.id))].sort();
    const shownSeverities = new Set(['error', 'warning', 'note', 'none']);
    let id = '';
    const list = new LongList('Findings', 92, (i) => {
        const f = findings[i];
        return el(
            'button',
            { class: 'finding ' + f.severity, on: { click: () => onOpen(i) } },
            el(
                'span',
                { class: 'head' },
                sign(f.severity === 'none' ? 'note' : f.severity),
                el('b', null, f.severity),
                el('code', null, f.id),
                el('span', { class: 'op' }, shown(f.op_type, 24)),
            ),
            el('span', { class: 'where' }, placeName(f)),
            el('span', { class: 'message' }, shown(f.message, 400)),
        );
    });
    const count = el('p', { class: 'count', 'aria-live': 'polite' });
    const refresh = () => {
        const kept = findings
            .map((f, i) => i)
            .filter((i) => shownSeverities.has(findings[i].severity) && (!id || findings[i].id === id));
        list.set(kept);
        const hidden = json.summary.findings_not_listed;
        count.textContent =
            (kept.length === findings.length
                ? plural(kept.length, 'finding')
                : kept.length + ' of ' + plural(findings.length, 'finding')) +
            (hidden ? ', ' + hidden + ' more not listed' : '');
    };
    const toggles = ['error', 'warning', 'note'].map((severity) => {
        const n = findings.filter((f) => f.severity === severity).length;
        const button = el(
            'button',
            { class: 'toggle', 'aria-pressed': 'true', disabled: n === 0, title: 'Show or hide ' + severity + 's' },
            sign(severity),
            el('span', null, plural(n, severity)),
        );
        button.addEventListener('click', () => {
            const on = !shownSeverities.has(severity);
            if (on) shownSeverities.add(severity);
            else shownSeverities.delete(severity);
            button.setAttribute('aria-pressed', String(on));
            refresh();
        });
        return button;
    });
    const select = el(
        'select',
        { 'aria-label': 'Only findings with this id', on: { change: () => ((id = select.value), refresh()) } },
        el('option', { value: '' }, 'all ids'),
        ids.map((name) => el('option', { value: name }, name)),
    );
    refresh();
    const empty = findings.length
        ? null
        : el('p', { class: 'empty' }, 'No findings. Every broadcast that could be checked is sound.');
    return el(
        'div',
        { class: 'pane-body' },
        findings.length ? el('div', { class: 'filters' }, toggles, ids.length > 1 ? select : null) : null,
        findings.length ? count : null,
        empty,
        findings.length ? list.element : null,
    );
}

// ---- The contract ----

// Symbols that the caller chooses: those of clauses, then those of inputs.
export function freeSymbols(json, contract) {
    const symbols = new Set(contract.symbols.filter((s) => !s.startsWith('?')));
    for (const value of json.values)
        if (value.kind === 'input' && value.path === '' && value.shape)
            for (const dim of value.shape) if (typeof dim === 'string' && isSymbol(dim)) symbols.add(dim);
    return [...symbols];
}

export function startSizes(json, contract) {
    const sizes = new Map();
    const known = [...json.contract.examples, ...contract.clauses.map((c) => c.clause.holds)].filter(Boolean);
    for (const symbol of freeSymbols(json, contract)) {
        const example = known.find((sizesOf) => Object.hasOwn(sizesOf, symbol));
        sizes.set(symbol, BigInt(example ? example[symbol] : 2));
    }
    return sizes;
}

const SHOWN_SYMBOLS = 64;
const ADVISED = 8; // broken clauses for which sizes are looked for

export function contractPanel(json, onPlace) {
    const contract = readContract(json.contract);
    const sizes = startSizes(json, contract);
    const clauses = [...contract.clauses, ...contract.limits];
    const answer = el('div', { class: 'answer', role: 'status', 'aria-live': 'polite' });
    const fields = [...sizes.keys()].slice(0, SHOWN_SYMBOLS).map((symbol, k) => {
        const number = el('input', { type: 'number', min: '0', step: '1', id: 'size-' + k, inputmode: 'numeric' });
        const slider = el('input', {
            type: 'range',
            min: '0',
            max: '64',
            step: '1',
            tabindex: '-1',
            'aria-hidden': 'true',
        });
        const take = (text) => {
            if (!/^\d{1,18}$/.test(text.trim())) return number.setAttribute('aria-invalid', 'true');
            number.removeAttribute('aria-invalid');
            sizes.set(symbol, BigInt(text.trim()));
            refresh();
        };
        number.addEventListener('input', () => take(number.value));
        slider.addEventListener('input', () => take(slider.value));
        return {
            symbol,
            number,
            slider,
            row: el('div', { class: 'size' }, el('label', { for: 'size-' + k }, nameOf(symbol, 28)), slider, number),
        };
    });
    const rows = clauses.map((read, i) => {
        const state = el('span', { class: 'state' });
        const repair = el('div', { class: 'repair' });
        const nodes = read.clause.nodes
            .slice(0, 4)
            .map((place) =>
                el(
                    'button',
                    { class: 'link', on: { click: () => onPlace(place) } },
                    place.node ? shown(place.node, 40) : 'the input',
                ),
            );
        const more =
            read.clause.n_nodes > 4 ? el('span', { class: 'soft' }, 'and ' + (read.clause.n_nodes - 4) + ' more') : null;
        const row = el(
            'li',
            null,
            el('div', { class: 'clause' }, state, el('code', { class: 'term' }, shown(read.clause.text, 400))),
            repair,
            nodes.length
                ? el(
                      'div',
                      { class: 'by' },
                      'required by ',
                      nodes.map((n, k) => [k ? ', ' : null, n]),
                      ' ',
                      more,
                  )
                : null,
        );
        return { state, repair, row, i };
    });
    function set(symbol, size) {
        sizes.set(symbol, size);
        refresh();
    }
    function refresh() {
        const verdict = testContract(contract, sizes);
        for (const field of fields) {
            const text = String(sizes.get(field.symbol));
            if (field.number.value !== text && !field.number.hasAttribute('aria-invalid')) field.number.value = text;
            field.slider.max = String(Math.max(64, Number(field.slider.max), Number(sizes.get(field.symbol))));
            field.slider.value = text;
        }
        let nAdvised = 0;
        rows.forEach((row) => {
            const truth = verdict.each[row.i];
            row.row.className = truth === false ? 'broken' : truth === true ? 'kept' : 'open';
            fill(
                row.state,
                sign(truth === false ? 'error' : truth === true ? 'good' : 'unknown'),
                el('span', { class: 'hidden' }, truth === false ? 'fails: ' : truth === true ? 'holds: ' : 'undecided: '),
            );
            const advice = truth === false && nAdvised++ < ADVISED ? repairs(contract, row.i, sizes).slice(0, 4) : [];
            fill(
                row.repair,
                advice.length ? 'Fails. Holds with ' : truth === false ? 'Fails.' : null,
                advice.map((r) =>
                    el(
                        'button',
                        { class: 'fix', on: { click: () => set(r.symbol, r.size) } },
                        shown(r.symbol, 28) + ' = ' + r.size,
                    ),
                ),
            );
        });
        const written =
            fields
                .slice(0, 6)
                .map((f) => shown(f.symbol, 20) + ' = ' + sizes.get(f.symbol))
                .join(', ') + (fields.length > 6 ? ' \u2026' : '');
        const nBroken = verdict.each.filter((t) => t === false).length;
        const [kind, words] =
            verdict.holds === false
                ? [
                      'error',
                      nBroken
                          ? 'Not admitted: ' + plural(nBroken, 'clause fails', 'clauses fail') + '.'
                          : 'Not admitted: the contract admits no sizes.',
                  ]
                : verdict.holds === true
                  ? [
                        'good',
                        'Admitted: all shapes fit' +
                            (json.contract.values.length ? ' if the conditions on values hold' : '') +
                            '.',
                    ]
                  : [
                        'unknown',
                        contract.nUnverified
                            ? 'Not excluded. The contract is partial: some requirements could not be stated on sizes.'
                            : 'Undecided.',
                    ];
        answer.className = 'answer ' + kind;
        fill(answer, sign(kind), el('div', null, el('b', null, words), written ? el('div', { class: 'soft' }, written) : null));
    }
    refresh();
    const { values, assumptions, unverified } = json.contract;
    const section = (title, items) => (items.length ? [el('h3', null, title), el('ul', { class: 'plain' }, items)] : null);
    const said = {
        complete: 'Complete: it decides for all sizes.',
        partial: 'Partial: it can exclude sizes, but not admit them.',
        contradictory: 'Contradictory: no sizes work.',
    };
    return el(
        'div',
        { class: 'pane-body scroll contract' },
        el('p', { class: 'lead' }, said[contract.status]),
        answer,
        fields.length
            ? el(
                  'div',
                  { class: 'sizes' },
                  fields.map((f) => f.row),
              )
            : el('p', { class: 'empty' }, 'All sizes of inputs are fixed.'),
        sizes.size > SHOWN_SYMBOLS ? el('p', { class: 'soft' }, 'and ' + (sizes.size - SHOWN_SYMBOLS) + ' more symbols') : null,
        clauses.length
            ? [
                  el('h3', null, plural(clauses.length, 'clause')),
                  el(
                      'ol',
                      { class: 'clauses' },
                      rows.map((r) => r.row),
                  ),
              ]
            : null,
        section(
            'Conditions on values',
            values.map((v) => el('li', null, el('code', { class: 'term' }, shown(v.text, 300)))),
        ),
        section(
            'Assumptions',
            assumptions
                .slice(0, 200)
                .map((a) =>
                    el(
                        'li',
                        null,
                        el('code', { class: 'term' }, shown(a.text, 300)),
                        ' ',
                        el('span', { class: 'soft' }, a.source),
                    ),
                ),
        ),
        section(
            'Not verified',
            unverified
                .slice(0, 200)
                .map((u) =>
                    el(
                        'li',
                        null,
                        shown(u.reason, 300),
                        el('span', { class: 'soft' }, ' \u00b7 ' + plural(u.n, 'requirement') + ' \u00b7 '),
                        el('button', { class: 'link', on: { click: () => onPlace(u.first) } }, shown(u.first.node, 60)),
                    ),
                ),
        ),
    );
}

// ---- Nodes, values, summary ----

function filtered(label, entries, text, rowHeight, row) {
    const list = new LongList(label, rowHeight, row);
    const input = el('input', { type: 'search', placeholder: 'Filter', 'aria-label': 'Filter ' + label.toLowerCase() });
    const count = el('p', { class: 'count', 'aria-live': 'polite' });
    const refresh = () => {
        const wanted = input.value.trim().toLowerCase();
        const kept = wanted ? entries.filter((e) => matches(text(e), wanted)) : entries;
        list.set(kept);
        count.textContent = kept.length === entries.length ? String(kept.length) : kept.length + ' of ' + entries.length;
    };
    input.addEventListener('input', refresh);
    refresh();
    return el('div', { class: 'pane-body' }, el('div', { class: 'filters' }, input, count), list.element);
}

export function nodesPanel(model, onNode) {
    const entries = model.nodes.map((node, id) => id);
    const describe = (id) =>
        model.nodes[id].op_type + ' ' + model.nodes[id].name + ' ' + model.graphs[model.nodes[id].graph].path;
    return filtered('Nodes', entries, describe, 44, (id) => {
        const node = model.nodes[id];
        const severity = ['', 'note', 'warning', 'error'][model.severityOf[id]];
        const marks = [
            severity ? sign(severity) : null,
            model.broadcastsOf[id] ? el('span', { class: 'tag' }, 'broadcast') : null,
        ];
        return el(
            'button',
            { class: 'entry', on: { click: () => onNode(id) } },
            el('span', { class: 'head' }, el('b', null, shown(node.op_type, 30)), marks),
            el('span', { class: 'where' }, placeName({ path: model.graphs[node.graph].path, node: node.name })),
        );
    });
}

export function valuesPanel(json, onValue) {
    const entries = json.values.map((value, i) => i);
    return filtered(
        'Values',
        entries,
        (i) => json.values[i].name + ' ' + json.values[i].type,
        44,
        (i) => {
            const value = json.values[i];
            return el(
                'button',
                { class: 'entry', on: { click: () => onValue(i) } },
                el('span', { class: 'head' }, nameOf(value.name, 44), el('span', { class: 'tag plain' }, value.kind)),
                el(
                    'span',
                    { class: 'where' },
                    el('code', null, shown(value.type, 90)),
                    value.why_unknown ? el('span', { class: 'soft' }, ' ' + shown(value.why_unknown, 80)) : null,
                ),
            );
        },
    );
}

export function summaryRows(json) {
    const s = json.summary;
    return [
        ['File', shown(json.file, 120)],
        ['IR version', String(json.ir_version)],
        [
            'Opsets',
            Object.entries(json.opsets)
                .map(([domain, version]) => shown(domain || 'ai.onnx', 60) + ' ' + version)
                .join(', '),
        ],
        ['Rule book', json.rules],
        ['Nodes', String(s.nodes)],
        ['Values with a known shape', s.values_with_shape + ' of ' + s.values],
        ['Broadcasts', s.broadcasts + (s.broadcasts_of_open_size ? ', ' + s.broadcasts_of_open_size + ' of open size' : '')],
        ['Operators on equal shapes', String(s.operators_of_one_shape)],
        [
            'Copies would write',
            bytesText(s.copied_bytes) +
                (typeof s.copied_term === 'string' ? ', with open sizes ' + shown(s.copied_term, 120) + ' B' : ''),
        ],
        ['Conditions at run time', String(s.conditions)],
        ['Errors, warnings, notes', s.errors + ', ' + s.warnings + ', ' + s.notes],
        ['Suppressed, in the baseline', s.findings_suppressed + ', ' + s.findings_in_baseline],
        ['Requirements proved', String(json.contract.proved)],
    ];
}

const COSTS_SHOWN = 50; // broadcasts in the table; the first ones copy most

// With --cost: the memory of values, and what an explicit copy of each broadcast adds. null: not known.
function costSection(json, onBroadcast) {
    const cost = json.cost;
    if (!cost) return null;
    const at = (node) => (node ? ', at ' + shown(node, 60) : '');
    const change = (n) => (n > 0 ? '+' : '') + bytesText(n);
    const rows = [
        ['Weights', bytesText(cost.weight_bytes)],
        [
            'Most values at a time',
            cost.peak_bytes === null ? 'unknown: ' + cost.unknown : bytesText(cost.peak_bytes) + at(cost.peak_node),
        ],
        ['With explicit copies', bytesText(cost.explicit_bytes) + (cost.explicit_bytes === null ? '' : at(cost.explicit_node))],
    ];
    const place = (row) => {
        const broadcast = json.broadcasts[row.broadcast];
        const open = () => onBroadcast(row.broadcast);
        return el('button', { class: 'link', on: { click: open } }, broadcast.op_type + ' ', placeName(broadcast));
    };
    return [
        el('h3', null, 'Memory'),
        el(
            'table',
            { class: 'facts' },
            el('tbody', null, rows.map(([key, value]) => el('tr', null, el('th', { scope: 'row' }, key), el('td', null, value)))),
        ),
        el(
            'table',
            { class: 'facts cost' },
            el('thead', null, el('tr', null, ['Explicit copy at', 'Copied', 'Peak'].map((t) => el('th', { scope: 'col' }, t)))),
            el(
                'tbody',
                null,
                cost.broadcasts
                    .slice(0, COSTS_SHOWN)
                    .map((row) =>
                        el(
                            'tr',
                            null,
                            el('th', { scope: 'row' }, place(row)),
                            el('td', null, bytesText(row.copied_bytes)),
                            el('td', null, row.peak_change === 0 ? 'same' : change(row.peak_change)),
                        ),
                    ),
            ),
        ),
        cost.broadcasts.length > COSTS_SHOWN
            ? el('p', { class: 'soft' }, plural(cost.broadcasts.length - COSTS_SHOWN, 'more broadcast') + ' copy less.')
            : null,
    ];
}

export function summaryPanel(json, tool, onBroadcast) {
    const targets = (json.targets || []).map((t) =>
        el(
            'tr',
            null,
            el('th', { scope: 'row' }, t.name),
            el('td', null, t.worst),
            el('td', null, t.accepted + t.not_stretched + ' of ' + t.nodes),
        ),
    );
    const independence = (json.independence || []).map((i) =>
        el(
            'li',
            null,
            el('code', null, shown(i.symbol, 40)),
            ': ' + i.verdict + (i.reason ? ' \u2013 ' + shown(i.reason, 300) : ''),
        ),
    );
    return el(
        'div',
        { class: 'pane-body scroll' },
        el(
            'table',
            { class: 'facts' },
            el(
                'tbody',
                null,
                summaryRows(json).map(([key, value]) => el('tr', null, el('th', { scope: 'row' }, key), el('td', null, value))),
            ),
        ),
        targets.length
            ? [
                  el('h3', null, 'Deployment targets'),
                  el(
                      'table',
                      { class: 'facts' },
                      el(
                          'thead',
                          null,
                          el(
                              'tr',
                              null,
                              ['Target', 'Worst effect', 'Nodes without problem'].map((t) => el('th', { scope: 'col' }, t)),
                          ),
                      ),
                      el('tbody', null, targets),
                  ),
              ]
            : null,
        costSection(json, onBroadcast),
        independence.length ? [el('h3', null, 'Independence of batches'), el('ul', { class: 'plain' }, independence)] : null,
        el('p', { class: 'soft' }, 'Made by ' + tool.name + ' ' + tool.version + '. This page is one file and loads nothing.'),
    );
}

export function bySeverity(findings) {
    return findings.map((f, i) => i).sort((a, b) => ORDER[findings[a].severity] - ORDER[findings[b].severity] || a - b);
}
