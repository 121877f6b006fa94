import { launchBrowser } from './open-console.ts';
const browser = await launchBrowser();
for (const [name, width, scheme] of [['w',1280,'light'],['n',390,'dark']] as const) {
  const c = await browser.newContext({ viewport: { width, height: 800 }, colorScheme: scheme });
  const p = await c.newPage();
  for (const path of ['plants/7','nothing','']) { await p.goto('http://127.0.0.1:3877/'+path); await p.screenshot({ path: `/tmp/small-work/err-${name}-${path.replace('/','_')}.png` }); }
}
await browser.close(); process.exit(0);
