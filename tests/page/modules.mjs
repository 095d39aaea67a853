// The modules of the page, as the page has them: web/page/src is no package, so each is read and joined here.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('../../web/page/src/', import.meta.url));
const text = ['text', 'terms', 'divide', 'model', 'worker']
    .map((name) => readFileSync(source + name + '.js', 'utf8'))
    .join('\n')
    .replace(/^import [^;]*;$/gm, '');
const all = await import('data:text/javascript;base64,' + Buffer.from(text).toString('base64'));

export const { visible, cut, shown, tail, shapeText, bytesText, matches } = all;
export const {
    parseTerm,
    evaluate,
    readClause,
    testClause,
    readContract,
    testContract,
    repairs,
    floorDiv,
    isSymbol,
    UNDEFINED,
    UNDECIDED,
} = all;
export const { layers, cuts, layoutGraph, placeByRows, dagreLibrary, Model, picture } = all;
