/** The pages of a sandbox: they open without a sign-in, keep the space of their visitor, and say what they are. */
import { after, it } from 'node:test';
import { startService } from '../support/start-service.ts';
import { openBrowser } from './open-console.ts';

const { url } = await startService({ after }, { store: 'folder', flags: ['--sandbox'] });
const browser = await openBrowser();

it('the console of a sandbox needs no sign-in, and keeps its plants over a reload', async (t) => {
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  page.setDefaultTimeout(60_000);
  t.after(() => page.close());
  await page.goto(`${url}/console`);
  await page.getByRole('row', { name: 'Aloe vera' }).waitFor();
  await page.goto(`${url}/console?plant=new`);
  await page.getByRole('textbox', { name: 'Name' }).fill('Of this visitor');
  await page.getByRole('button', { name: 'Add plant' }).click();
  await page.getByText(/“Of this visitor” added/).waitFor();
  await page.goto(`${url}/console?search=visitor`);
  await page.getByRole('row', { name: 'Of this visitor' }).waitFor();
  await page.goto(`${url}/console?view=settings`);
  await page
    .getByText(/Sandbox: these plants are yours, in memory, and dropped after 1 hour/)
    .last()
    .waitFor();
  await page.getByRole('button', { name: /Sign out|Manage/ }).waitFor({ state: 'detached' });
  for (const view of ['tokens', 'webhooks']) {
    await page.goto(`${url}/console?view=${view}`);
    await page.getByText('A sandbox has plants only.').waitFor();
    await page.getByText(/plant-store|--scope/).waitFor({ state: 'detached' });
  }
  await page.goto(`${url}/docs`);
  await page
    .getByText(/sandbox/i)
    .first()
    .waitFor();
});
