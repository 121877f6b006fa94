/** Common build configuration of our pages. Each page adds its content and target folder. */
import type { BuildEnvironmentOptions, InlineConfig, Plugin } from 'vite';

/** Browsers that support `light-dark()` and async iteration of streams. */
const target = ['chrome123', 'firefox124', 'safari17.5'];

/** What our pages load in place of some modules. Smaller by 0.8 kB, compressed. */
const modules: Plugin = {
  name: 'modules-of-pages',
  enforce: 'pre',
  load: (id) => {
    // What Vite puts around `import()` loads the style sheets of a part first: ours have none.
    if (id === '\0vite/preload-helper.js') return 'export const __vitePreload = (load) => load();';
    if (!id.endsWith('/src/client/node-failures.ts')) return undefined;
    return 'export const isSurelyUnsent = () => false; export const describeFailure = ({ message }) => message;';
  },
};

/**
 * @param root folder of the page.
 * @param outDir is emptied first.
 * @param rolldownOptions inputs besides `index.html`.
 */
export function toPageConfig(
  root: string,
  outDir: string,
  rolldownOptions: NonNullable<BuildEnvironmentOptions['rolldownOptions']> = {},
): InlineConfig {
  return {
    root,
    configFile: false,
    envDir: false,
    // Relative, so that the page works below any base path.
    base: './',
    publicDir: false,
    logLevel: 'warn',
    // h() is shorter than the automatic runtime: by 5,700 bytes, 0.5 kB compressed.
    oxc: {
      jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment' },
      jsxInject: "import { h, Fragment } from 'preact';",
    },
    plugins: [modules],
    build: {
      outDir,
      emptyOutDir: true,
      target,
      cssTarget: target,
      // Smaller by 0.4 kB, compressed, than with the default, for about two seconds more; without names
      // that only Safari 10 needs, by 0.16 kB. No code of ours replaces what is built in, or depends on
      // a getter or on the prototype of a function.
      minify: 'terser',
      // Names and conditions are left to the minifier below, which makes them shorter by 0.17 kB.
      terserOptions: {
        ecma: 2020,
        module: true,
        safari10: false,
        mangle: false,
        compress: { passes: 3, pure_getters: true, unsafe: true, unsafe_arrows: true, conditionals: false },
      },
      // The page's Content-Security-Policy forbids inline content.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: {
        ...rolldownOptions,
        // After terser: what its own minifier still finds is 0.65 kB, compressed.
        output: { ...rolldownOptions.output, minify: true },
        // On a busy machine its advice about slow plug-ins looks like an error.
        checks: { bundlerTimings: false },
      },
    },
  };
}
