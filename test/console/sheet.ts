import { readFileSync } from 'node:fs';
import { launchBrowser } from './open-console.ts';
const [out, h, ...files] = process.argv.slice(2);
const browser = await launchBrowser();
const p = await browser.newPage({ viewport: { width: 1800, height: 600 } });
await p.setContent(`<body style="margin:4px;background:#888;display:flex;flex-wrap:wrap;gap:6px">${files.map((f) => `<figure style="margin:0"><figcaption style="font:10px sans-serif">${f.replace(/.*\//, '')}</figcaption><img style="height:${h}px" src="data:image/png;base64,${readFileSync(f).toString('base64')}"></figure>`).join('')}`);
await p.waitForTimeout(300);
await p.screenshot({ path: out!, fullPage: true });
await browser.close(); process.exit(0);
