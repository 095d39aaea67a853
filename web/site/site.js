// The page: takes a model, lets a worker check it, shows the report in a frame without rights.
const LARGEST = 2 ** 31; // bytes: the memory of the module ends at 2^32, and reading takes as much again
const byId = (id) => document.getElementById(id);
const drop = byId('drop');

let worker;
let name = '';

function say(text, failed = false) {
    byId('status').textContent = text;
    byId('status').classList.toggle('failed', failed);
}

function end() {
    worker?.terminate();
    worker = undefined;
    byId('cancel').hidden = true;
}

function fail(text) {
    end();
    byId('rewrites').hidden = true;
    say(text, true);
}

// The frame is made again for each report.
function show(html) {
    const old = byId('report');
    const frame = old.cloneNode();
    frame.hidden = false;
    frame.src = 'frame.html';
    addEventListener('message', function hear(event) {
        if (event.source !== frame.contentWindow) return;
        if (event.data.ready) frame.contentWindow.postMessage({ html }, '*');
        if (event.data.shown === undefined) return;
        removeEventListener('message', hear);
        document.body.dataset.shown = event.data.shown;
    });
    old.replaceWith(frame);
    byId('hint').hidden = true;
}

function explain({ message, code, node, opType }) {
    const place = node ? `, node "${node}"${opType ? ` (${opType})` : ''}` : '';
    return `${name}${place}: ${message}${code ? ` [${code}]` : ''}`;
}

function hear({ data }) {
    if (data.step) say(`${name}: ${data.step} ...`);
    else if (data.failed) fail(explain(data.failed));
    else if (data.html) {
        say(`${name}: checked by onnx-broadcast ${data.version}`);
        byId('cancel').hidden = true;
        byId('rewrites').hidden = false;
        show(data.html);
    } else if (data.file) save(data);
}

function save({ file, inserted, left }) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([file], { type: 'application/octet-stream' }));
    link.download = name.replace(/(?:\.onnx)?$/i, '.explicit.onnx');
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    say(`${link.download}: ${inserted} explicit operators added, ${left} broadcasts left implicit`);
}

async function take(file) {
    end();
    delete document.body.dataset.shown;
    name = file.name;
    byId('rewrites').hidden = true;
    if (file.size > LARGEST)
        return fail(`${name}: ${file.size} bytes are too many for a browser; onnx-broadcast-check reads it`);
    say(`${name}: read ...`);
    byId('cancel').hidden = false;
    const mine = (worker = new Worker('worker.js', { type: 'module' }));
    mine.addEventListener('message', hear);
    mine.addEventListener('error', (event) => fail(`${name}: ${event.message || 'the check cannot be started here'}`));
    try {
        const bytes = await file.arrayBuffer();
        if (worker === mine) mine.postMessage({ check: { bytes, name } }, [bytes]);
    } catch (error) {
        if (worker === mine) fail(`${name}: ${error.message}`);
    }
}

byId('file').addEventListener('change', ({ target }) => {
    if (target.files.length) take(target.files[0]);
    target.value = ''; // the same file can be chosen again
});
byId('cancel').addEventListener('click', () => {
    end();
    say(`${name}: cancelled`);
});
byId('download').addEventListener('click', () => {
    say(`${name}: rewrite ...`);
    worker.postMessage({ rewrite: { form: byId('form').value, name: 'model.onnx' } });
});
for (const type of ['dragover', 'dragleave', 'drop'])
    document.addEventListener(type, (event) => {
        event.preventDefault();
        drop.classList.toggle('over', type === 'dragover');
        if (type === 'drop' && event.dataTransfer.files.length) take(event.dataTransfer.files[0]);
    });
say('Ready');
