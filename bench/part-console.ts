/** The console in a browser: how long after signing in the list of the large store is shown. */
import { launchBrowser } from '../test/console/open-console.ts';
import type { Bench } from './context.ts';
import { median } from './report.ts';
import { token } from './service.ts';

export async function runConsole(bench: Bench): Promise<void> {
  const { options, report } = bench;
  const { port } = await bench.largeService();
  const browser = await launchBrowser();
  try {
    const times: number[] = [];
    for (let turn = 0; turn < options.turns; turn += 1) {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${port}/console`);
      await page.getByLabel('Token').fill(token);
      const startedAt = performance.now();
      await page.keyboard.press('Enter');
      await page.locator('.row').first().waitFor();
      times.push(performance.now() - startedAt);
      await page.close();
    }
    const note = `${options.rows} plants; until the first rows are shown`;
    const goal = { atMost: 1_000 };
    report.add({ part: 'console', name: 'list after signing in', value: median(times), unit: 'ms', goal, note });
  } finally {
    await browser.close();
  }
}
