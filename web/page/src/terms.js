// Terms over sizes, as reports print them ("2*N + 1", "floor(N/M)"), and the clauses of a contract, in exact integers.
// The library decides the same in ob_report_contract_holds; a test compares both.

const LARGEST = (1n << 62n) - 1n; // OB_DIM_CONST_MAX
const WORD = (1n << 63n) - 1n;
const DEEPEST = 200;
const MANY_CLAUSES = 200; // with more, a repair is tried on its own clause only

// Why a term has no value at some sizes.
export const UNDEFINED = 'undefined'; // members of a broadcast that do not fit, or a divisor below 1
export const UNDECIDED = 'undecided'; // a size is missing, or a number is too large

class TermError extends Error {}

function fail(why) {
    throw new TermError(why);
}

const NAME = /(?:[A-Za-z_]|[^\x00-\x7f])(?:[A-Za-z0-9_.:$@#]|\.\.\.\{\d+\}\.\.\.|[^\x00-\x7f])*(?:\[\d+\])?/y;
const QUOTED = /"(?:[^"\\]|\\.)*"/y;
const UNNAMED = /\?\d+/y;
const DIGITS = /\d+/y;

class Parser {
    constructor(text) {
        this.text = text;
        this.at = 0;
        this.depth = 0;
    }
    space() {
        while (this.text[this.at] === ' ') this.at++;
    }
    sign(s) {
        this.space();
        if (!this.text.startsWith(s, this.at)) return false;
        this.at += s.length;
        return true;
    }
    need(s) {
        if (!this.sign(s)) fail('expected ' + s);
    }
    match(pattern) {
        pattern.lastIndex = this.at;
        const found = pattern.exec(this.text);
        if (found) this.at += found[0].length;
        return found && found[0];
    }
    sum() {
        if (++this.depth > DEEPEST) fail('too deep');
        const parts = [this.product()];
        for (;;) {
            if (this.sign('+')) parts.push(this.product());
            else if (this.sign('-')) parts.push({ kind: 'product', parts: [{ kind: 'number', value: -1n }, this.product()] });
            else break;
        }
        this.depth--;
        return parts.length === 1 ? parts[0] : { kind: 'sum', parts };
    }
    product() {
        let left = this.unary();
        for (;;) {
            if (this.sign('*')) left = { kind: 'product', parts: [left, this.unary()] };
            else if (this.sign('%')) left = { kind: 'rest', a: left, b: this.unary() };
            else return left;
        }
    }
    unary() {
        if (++this.depth > DEEPEST) fail('too deep');
        const term = this.sign('-') ? { kind: 'product', parts: [{ kind: 'number', value: -1n }, this.unary()] } : this.atom();
        this.depth--;
        return term;
    }
    atom() {
        this.space();
        const digits = this.match(DIGITS);
        if (digits) return { kind: 'number', value: BigInt(digits) };
        const name = this.match(QUOTED) || this.match(UNNAMED) || this.match(NAME);
        if (name === null || name === undefined) {
            this.need('(');
            const inner = this.sum();
            this.need(')');
            return inner;
        }
        if (!/^(?:floor|ceil|min|max|bcast)$/.test(name) || !this.sign('(')) return { kind: 'symbol', name };
        if (name === 'floor' || name === 'ceil') {
            const a = this.sum();
            this.need('/');
            const b = this.unary();
            this.need(')');
            return { kind: name, a, b };
        }
        const parts = [];
        do parts.push(this.sum());
        while (this.sign(','));
        this.need(')');
        return { kind: name, parts };
    }
}

// The tree of a size in JSON: a number, or a term as text. Throws an Error if it is neither.
export function parseTerm(size) {
    if (typeof size === 'number' || typeof size === 'bigint') return { kind: 'number', value: BigInt(size) };
    if (typeof size !== 'string') fail('no term');
    const parser = new Parser(size);
    const term = parser.sum();
    parser.space();
    if (parser.at !== size.length) fail('unexpected text');
    return term;
}

export function floorDiv(a, b) {
    const q = a / b;
    return a % b !== 0n && a < 0n !== b < 0n ? q - 1n : q;
}

function word(n) {
    return n > WORD || n < -WORD - 1n ? fail(UNDECIDED) : n;
}

function value(term, sizes) {
    switch (term.kind) {
        case 'number':
            return term.value;
        case 'symbol':
            return sizes.has(term.name) ? sizes.get(term.name) : fail(UNDECIDED);
        case 'sum':
            return term.parts.reduce((sum, part) => word(sum + value(part, sizes)), 0n);
        case 'product':
            return term.parts.reduce((product, part) => word(product * value(part, sizes)), 1n);
        case 'min':
        case 'max': {
            const all = term.parts.map((part) => value(part, sizes));
            return all.reduce((a, b) => (a < b === (term.kind === 'min') ? a : b));
        }
        case 'bcast': {
            let common = 1n;
            for (const part of term.parts) {
                const size = value(part, sizes);
                if (size === 1n || size === common) continue;
                if (common !== 1n) fail(UNDEFINED);
                common = size;
            }
            return common;
        }
        default: {
            const a = value(term.a, sizes);
            const b = value(term.b, sizes);
            if (b < 1n) fail(UNDEFINED);
            if (term.kind === 'rest') return a - floorDiv(a, b) * b;
            return floorDiv(term.kind === 'ceil' ? a + b - 1n : a, b);
        }
    }
}

// The value at these sizes (Map: symbol -> BigInt): a BigInt, UNDEFINED or UNDECIDED.
export function evaluate(term, sizes) {
    try {
        const result = value(term, sizes);
        return result > LARGEST || result < -LARGEST ? UNDECIDED : result;
    } catch (error) {
        if (error instanceof TermError) return error.message === UNDEFINED ? UNDEFINED : UNDECIDED;
        throw error;
    }
}

// Whether a size of a shape is one symbol that the caller chooses.
export function isSymbol(size) {
    const term = parseOrNull(size);
    return term !== null && term.kind === 'symbol' && !term.name.startsWith('?');
}

function symbolsOf(term, into) {
    if (term.kind === 'symbol') into.add(term.name);
    for (const part of term.parts || []) symbolsOf(part, into);
    if (term.a) symbolsOf(term.a, into);
    if (term.b) symbolsOf(term.b, into);
}

function parseOrNull(size) {
    try {
        return parseTerm(size);
    } catch (error) {
        return null; // shown, but not decided
    }
}

function readLiteral(literal) {
    const divides = literal.kind === 'divides' || literal.kind === 'not divides';
    return { kind: literal.kind, p: parseOrNull(literal.p), q: divides ? parseOrNull(literal.q) : null, divides };
}

// A clause of the contract in JSON, ready to be tested.
export function readClause(clause) {
    const literals = [...clause.guard, ...clause.terms].map(readLiteral);
    const symbols = new Set();
    for (const literal of literals) {
        if (literal.p) symbolsOf(literal.p, symbols);
        if (literal.q) symbolsOf(literal.q, symbols);
    }
    return { clause, literals, symbols: [...symbols] };
}

function testLiteral(literal, sizes) {
    if (!literal.p || (literal.divides && !literal.q)) return null;
    const p = evaluate(literal.p, sizes);
    if (p === UNDEFINED) return false;
    if (p === UNDECIDED) return null;
    const q = literal.divides ? evaluate(literal.q, sizes) : 1n;
    if (q === UNDEFINED) return false;
    if (q === UNDECIDED) return null;
    if (literal.kind === 'zero') return p === 0n;
    if (literal.kind === 'nonzero') return p !== 0n;
    if (literal.kind === 'nonnegative') return p >= 0n;
    const divides = q >= 1n && p % q === 0n;
    return literal.kind === 'divides' ? divides : !divides;
}

// true, false, or null: undecided.
export function testClause(read, sizes) {
    let any = false;
    for (const literal of read.literals) {
        const truth = testLiteral(literal, sizes);
        if (truth === true) return true;
        if (truth === null) any = null;
    }
    return any;
}

export function readContract(contract) {
    const clauses = contract.clauses.map(readClause);
    const limits = contract.limits.map(readClause);
    const symbols = new Set();
    for (const read of [...clauses, ...limits]) for (const symbol of read.symbols) symbols.add(symbol);
    return { status: contract.status, nUnverified: contract.unverified.length, clauses, limits, symbols: [...symbols] };
}

// The verdict on sizes: {holds: true | false | null, each: [true | false | null], broken: index of the first broken clause, or
// -1}. Clauses come first, then limits.
export function testContract(contract, sizes) {
    const each = [...contract.clauses, ...contract.limits].map((read) => testClause(read, sizes));
    const broken = each.indexOf(false);
    let holds = contract.nUnverified ? null : true;
    if (each.includes(null)) holds = null;
    if (broken >= 0 || contract.status === 'contradictory') holds = false;
    return { holds, each, broken };
}

// One size to change so that a broken clause holds: [{symbol, size}], the nearest for each symbol of the clause. Sizes that keep
// the other clauses come first.
export function repairs(contract, index, sizes) {
    const all = [...contract.clauses, ...contract.limits];
    const read = all[index];
    const found = [];
    for (const symbol of read.symbols) {
        if (!sizes.has(symbol)) continue;
        const now = sizes.get(symbol);
        const tried = new Set();
        for (let i = 0n; i <= 130n; i++)
            tried
                .add(i)
                .add(now + i)
                .add(now - i);
        for (const other of sizes.values()) for (let i = -2n; i <= 2n; i++) tried.add(other + i).add(other * 2n + i);
        for (const known of [read.clause.holds, read.clause.decides])
            if (known && Object.hasOwn(known, symbol)) tried.add(BigInt(known[symbol]));
        for (const power of [256n, 512n, 1024n, 2048n, 4096n, 8192n]) tried.add(power);
        const near = [...tried].filter((n) => n >= 0n && n <= LARGEST && n !== now);
        near.sort((a, b) => Number(distance(a, now) - distance(b, now)) || Number(a - b));
        const changed = new Map(sizes);
        let best = null;
        for (const size of near) {
            changed.set(symbol, size);
            if (testClause(read, changed) !== true) continue;
            const rest = all.length > MANY_CLAUSES || all.every((other) => testClause(other, changed) !== false);
            if (rest || !best) best = { symbol, size, rest };
            if (rest) break;
        }
        if (best) found.push(best);
    }
    return found.sort((a, b) => Number(b.rest) - Number(a.rest));
}

function distance(a, b) {
    return a < b ? b - a : a - b;
}
