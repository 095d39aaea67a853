// The check of one model, beside the page: it can be ended at any time.
import { load } from './onnx-broadcast/index.js';

let model;

async function check({ bytes, name }) {
    const library = await load({ onProgress: (step) => postMessage({ step }) });
    model = library.open(new Uint8Array(bytes), name);
    const html = model.report('html', { cost: true });
    postMessage({ html, version: library.version });
}

function rewrite({ form, name }) {
    const { bytes, inserted, left } = model.rewrite(form, { fileName: name });
    postMessage({ file: bytes, inserted, left: left.length }, [bytes.buffer]);
}

addEventListener('message', async ({ data }) => {
    try {
        if (data.check) await check(data.check);
        else rewrite(data.rewrite);
    } catch (error) {
        postMessage({
            failed: {
                message: error.message,
                code: error.code || '',
                node: error.node || '',
                opType: error.opType || '',
            },
        });
    }
});
