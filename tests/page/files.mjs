// Where the tests find programs and models: build/ or OB_BUILD.
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const top = fileURLToPath(new URL('../../', import.meta.url));
export const build = resolve(process.env.OB_BUILD || join(top, 'build'));
export const shared = resolve(process.env.OB_SHARED || join(top, '../shared'));
export const layoutLibrary = join(build, 'page_layout/dist/dagre.min.js');

export function tool(name) {
    const file = join(build, name);
    if (!existsSync(file)) throw new Error(file + ' is not built');
    return file;
}

function below(folder, found = []) {
    if (!existsSync(folder)) return found;
    for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
        if (entry.isDirectory()) below(join(folder, entry.name), found);
        else if (/\.onnx(?:txt)?$/.test(entry.name)) found.push(join(folder, entry.name));
    }
    return found;
}

// The sample models, and those shared between projects where they are.
export function models() {
    return [...below(join(top, 'models')), ...below(join(top, 'tests/page/models')), ...below(join(shared, 'models'))];
}
