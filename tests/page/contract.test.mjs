// The page decides a contract as the library does.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import {
    evaluate,
    floorDiv,
    isSymbol,
    parseTerm,
    readClause,
    readContract,
    repairs,
    testClause,
    testContract,
    UNDECIDED,
    UNDEFINED,
} from './modules.mjs';
import { models, tool } from './files.mjs';

const at = (sizes) => new Map(Object.entries(sizes).map(([k, v]) => [k, BigInt(v)]));
const value = (text, sizes) => evaluate(parseTerm(text), at(sizes));

test('terms', () => {
    assert.equal(value('2*N + 1', { N: 3 }), 7n);
    assert.equal(value('-N*M - 3', { N: 3, M: 2 }), -9n);
    assert.equal(value('floor((N - 7)/M)', { N: 3, M: 2 }), -2n);
    assert.equal(value('ceil(N/2)', { N: 3 }), 2n);
    assert.equal(value('(H + 1) % 32', { H: 62 }), 31n);
    assert.equal(value('(N - 5) % 3', { N: 0 }), 1n);
    assert.equal(value('3*((N - 5) % 3) + 1', { N: 0 }), 4n);
    assert.equal(value('min(N, 512)', { N: 600 }), 512n);
    assert.equal(value('max(floor(N/64), 1) - 1', { N: 3 }), 0n);
    assert.equal(value('bcast(N, M)', { N: 1, M: 0 }), 0n);
    assert.equal(value('bcast(N, M)', { N: 3, M: 2 }), UNDEFINED);
    assert.equal(value('floor(N/M)', { N: 3, M: 0 }), UNDEFINED);
    assert.equal(value('x[0]*"a b"', { 'x[0]': 3, '"a b"': 2 }), 6n);
    assert.equal(value('"floor"*2', { '"floor"': 2 }), 4n);
    assert.equal(value('?3 + 1', {}), UNDECIDED);
    assert.equal(value('N*N*N*N*N', { N: 10n ** 9n }), UNDECIDED);
    assert.equal(value(7, {}), 7n);
    assert.equal(value('gr\u00f6\u00dfe', { 'gr\u00f6\u00dfe': 2 }), 2n);
    for (const bad of ['', 'N +', 'floor(N)', '(N', 'N)', '2 3', '('.repeat(5000), null])
        assert.throws(() => parseTerm(bad), Error);
    assert.equal(floorDiv(-7n, 2n), -4n);
});

const clause = (terms, guard = []) => readClause({ guard, terms, holds: null, decides: null });

test('clauses', () => {
    const one = clause([
        { kind: 'zero', p: 'N - M' },
        { kind: 'divides', p: 'N', q: 'M' },
    ]);
    assert.equal(testClause(one, at({ N: 6, M: 3 })), true);
    assert.equal(testClause(one, at({ N: 7, M: 3 })), false);
    assert.equal(testClause(one, at({ N: 7 })), null);
    assert.equal(testClause(one, at({ N: 0, M: 0 })), true);
    assert.equal(testClause(clause([{ kind: 'not divides', p: 'N', q: 'M' }]), at({ N: 4, M: 0 })), true);
    assert.equal(
        testClause(clause([{ kind: 'nonnegative', p: 'N - 4' }], [{ kind: 'nonnegative', p: '-T' }]), at({ N: 1, T: 0 })),
        true,
    );
    assert.equal(testClause(clause([{ kind: 'unheard of', p: 'N', q: '1' }]), at({ N: 1 })) === true, false);
    const undefinedDivisor = { kind: 'divides', p: 'N', q: 'floor(N/M)' };
    assert.equal(testClause(clause([undefinedDivisor]), at({ N: 4, M: 0 })), false);
    assert.deepEqual(one.symbols, ['N', 'M']);
    const names = clause([{ kind: 'zero', p: '__proto__ - constructor' }]);
    assert.equal(
        testClause(
            names,
            new Map([
                ['__proto__', 2n],
                ['constructor', 2n],
            ]),
        ),
        true,
    );
    assert.equal(testClause(names, new Map()), null);
});

test('a repair makes the clause hold and keeps the others', () => {
    const contract = {
        status: 'complete',
        unverified: [],
        limits: [],
        clauses: [
            {
                guard: [],
                terms: [
                    { kind: 'zero', p: 'N - M' },
                    { kind: 'zero', p: 'N - 1' },
                ],
                holds: null,
                decides: null,
            },
            { guard: [], terms: [{ kind: 'nonnegative', p: 'N - 4' }], holds: null, decides: null },
        ],
    };
    const read = readContract(contract);
    const sizes = at({ N: 6, M: 9 });
    const found = repairs(read, 0, sizes);
    assert.deepEqual(
        found.map((r) => [r.symbol, r.size, r.rest]),
        [
            ['N', 9n, true],
            ['M', 6n, true],
        ],
    );
    for (const r of found) assert.equal(testContract(read, new Map(sizes).set(r.symbol, r.size)).holds, true);
});

test('symbols that a reader can choose', () => {
    for (const symbol of ['batch', 'x[0]', '"a-b"', 'gr\u00f6\u00dfe']) assert.equal(isSymbol(symbol), true, symbol);
    for (const other of ['2*N', '?3', 'N + 1', 'floor(N/2)', '7', '']) assert.equal(isSymbol(other), false, other);
});

test('the same verdicts as ob_report_contract_holds', { timeout: 600000 }, async () => {
    const child = spawn(tool('tests/page_sizes'), ['3000', '20261124', ...models()], {
        stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = new Promise((done) => child.once('exit', done));
    let contract = null;
    let text = '';
    const seen = [0, 0, 0];
    let nModels = 0;
    for await (const line of createInterface({ input: child.stdout })) {
        const json = JSON.parse(line);
        if (json.contract) {
            contract = readContract(json.contract);
            text = json.file + ' ' + json.contract.clauses.map((c) => c.text).join('; ');
            nModels++;
            continue;
        }
        const verdict = testContract(contract, at(json.sizes));
        const holds = verdict.holds === null ? 2 : Number(verdict.holds);
        seen[json.holds]++;
        if (holds !== json.holds) assert.fail(`${text}: ${line}: the page says ${holds}`);
        assert.equal(verdict.broken < 0 ? null : verdict.broken, json.clause, text + ': ' + line);
    }
    assert.equal(await ended, 0);
    console.log(`# ${nModels} contracts, ${seen[1]} admitted, ${seen[0]} not admitted, ${seen[2]} undecided`);
    assert.ok(nModels >= 20 && seen.every((n) => n > 1000), 'too little was compared');
});
