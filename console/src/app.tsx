/** The frame around the views: navigation, the panel, and what the token allows. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useValue } from './observable.ts';
import { allPlants, navigate, route, toLink, viewChange, type ViewName, viewTitles } from './route.ts';
import { ActivityView } from './history/activity-view.tsx';
import { BinView } from './history/bin-view.tsx';
import { isImporting, LoadedImport, loadImport } from './import/load-import.tsx';
import { listenToPastes } from './import/paste-rows.ts';
import { LabelsView } from './labels/labels-view.tsx';
import { BatchProgress } from './actions/batch-progress.tsx';
import { PlantPanel } from './panel/plant-panel.tsx';
import { PlantsFrame, PlantsView } from './list/plants-view.tsx';
import { picked } from './actions/picked-plants.ts';
import { TagRail } from './list/tag-rail.tsx';
import { UnsavedNote } from './panel/unsaved-note.tsx';
import { connection } from './session/connection.ts';
import { sandboxIdle, sandboxLine } from './session/sandbox.ts';
import { serviceUrl } from './session/service-url.ts';
import { maySee, type Scope, type Session, session } from './session/session.ts';
import { ScopeNotice } from './session/notice.tsx';
import { commands } from './ui/commands.ts';
import { View } from './ui/view.tsx';
import { SettingsView } from './settings/settings-view.tsx';
import { SignIn } from './session/sign-in.tsx';
import { AskDialog } from './session/ask.tsx';
import { AwayBanner } from './session/away-banner.tsx';
import { Icon, Mark } from './ui/icons.tsx';
import { type CommandName, findCommand, keyOf } from './ui/keys.ts';
import { KeysDialog, showKeys } from './session/keys-dialog.tsx';
import { Toasts } from './session/toasts.tsx';
import { useMedia } from './ui/use-media.ts';
import { TagsView } from './tags/tags-view.tsx';
import { TokensView } from './tokens/tokens-view.tsx';
import { FailingMark } from './webhooks/webhook-state.tsx';
import { WebhooksView } from './webhooks/webhooks-view.tsx';

/** The content of each view, and the scope without which it has none. */
const views: Readonly<Record<ViewName, { readonly Content: () => JSX.Element; readonly needs?: Scope }>> = {
  plants: { Content: () => <PlantsView onListed={() => void loadImport()} /> },
  tags: { Content: TagsView, needs: 'plants:read' },
  activity: { Content: ActivityView, needs: 'plants:read' },
  bin: { Content: BinView, needs: 'plants:read' },
  import: { Content: LoadedImport, needs: 'plants:write' },
  labels: { Content: LabelsView, needs: 'plants:read' },
  settings: { Content: () => <SettingsView webhooksMark={<FailingMark />} isImporting={isImporting} /> },
  webhooks: { Content: WebhooksView, needs: 'webhooks:manage' },
  tokens: { Content: TokensView, needs: 'tokens:manage' },
};

export function App() {
  const current = useValue(session);
  const { view, plant } = useValue(route);
  useEffect(() => {
    const shown = view === 'plants' ? plant : undefined;
    const what = shown === 'new' ? 'New plant' : shown === undefined ? viewTitles[view] : `Plant ${shown}`;
    document.title = current === undefined ? 'Sign in · Plant Store' : `${what} · Plant Store`;
  }, [current, view, plant]);
  if (current === undefined) return <SignIn />;
  if (current === 'restoring') return <Frame view={view} />;
  return <Shell current={current} />;
}

/** While a kept token is being checked: a reload shows no empty page. */
function Frame({ view }: { readonly view: ViewName }) {
  return (
    <main class="shell" aria-busy="true" aria-label="Signing in">
      <Side current={undefined} isCovered />
      <div class="stage" inert>
        <div class="main">{view === 'plants' && <PlantsFrame />}</div>
      </div>
    </main>
  );
}

function Shell({ current }: { readonly current: Session }) {
  const { view, plant } = useValue(route);
  const { Content, needs } = views[view];
  const isNarrow = useMedia('(max-width: 1099px)');
  const hasPanel = view === 'plants' && plant !== undefined && (plant === 'new' ? current.canWrite : current.canRead);
  const isCovered = hasPanel && isNarrow;
  useKeys(hasPanel, view === 'plants' && !isCovered, current.canWrite);
  useEffect(listenToPastes, []);
  return (
    <div class={hasPanel ? 'shell has-panel' : 'shell'}>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          if (commands.focusList?.() === true) event.preventDefault();
        }}
      >
        Skip to {view === 'plants' ? 'the list' : 'content'}
      </a>
      <Side current={current} isCovered={isCovered} />
      <div class="stage" inert={isCovered}>
        <AwayBanner />
        <main id="main" class="main" tabIndex={-1}>
          {needs === undefined || maySee(current, needs) ? (
            <Content />
          ) : (
            <View name={view}>
              <ScopeNotice needs={needs} />
            </View>
          )}
        </main>
      </div>
      {hasPanel && (
        <>
          <div class="veil" onClick={() => navigate({ plant: undefined })} />
          <PlantPanel key={String(plant)} plantKey={plant} isModal={isNarrow} />
        </>
      )}
      <Toasts>
        <BatchProgress />
        <UnsavedNote />
      </Toasts>
      <AskDialog />
      <KeysDialog />
    </div>
  );
}

/** Keys that work everywhere, see ui/keys.ts; Escape closes the form, then clears the selection. */
function useKeys(hasPanel: boolean, isListShown: boolean, canWrite: boolean): void {
  const isSearchWanted = useRef(false);
  // In the same turn as it is shown: what is typed next belongs there.
  useLayoutEffect(() => {
    if (isSearchWanted.current) commands.search?.();
    isSearchWanted.current = false;
  });
  // With the form itself, not after the next frame: an Escape that comes at once must not be lost.
  useLayoutEffect(() => {
    const searchElsewhere = (): void => {
      isSearchWanted.current = true;
      navigate(viewChange('plants'));
    };
    const onKeyDown = (event: KeyboardEvent): void => {
      const key = keyOf(event);
      if (key === 'Escape' && !event.defaultPrevented) {
        if (hasPanel) navigate({ plant: undefined });
        else picked().clear();
      }
      const isNowhere = event.target === document.body;
      if (key === 'ArrowDown' && isNowhere && commands.focusList?.() === true) event.preventDefault();
      const isTyping = event.target instanceof Element && event.target.matches(textFields);
      /** Undefined: it is the key of the browser. */
      const runs: Readonly<Record<CommandName, (() => void) | undefined>> = {
        search: isListShown ? commands.search : searchElsewhere,
        new: canWrite ? () => navigate({ ...viewChange('plants'), plant: 'new' }) : undefined,
        all: isListShown ? commands.selectAll : undefined,
        keys: showKeys,
      };
      const command = findCommand(event, isTyping);
      const run = command && runs[command];
      if (run === undefined || event.defaultPrevented) return;
      event.preventDefault();
      run();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [hasPanel, isListShown, canWrite]);
}

const textFields = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]';

function Side({ current, isCovered }: { readonly current: Session | undefined; readonly isCovered: boolean }) {
  return (
    <header class="side" inert={isCovered}>
      <a class="brand" aria-label="Plant Store" {...toLink(allPlants)}>
        <Mark />
        <span>Plant Store</span>
      </a>
      <nav class="nav" aria-label="Main">
        <NavLink view="plants" />
        <NavLink view="tags" />
        <NavLink view="activity" />
        <NavLink view="import" />
        <NavLink view="bin" />
        <NavLink view="settings">
          {current?.own?.scopes.includes('webhooks:manage') === true && <FailingMark />}
        </NavLink>
      </nav>
      {current?.canRead === true && <TagRail />}
      {current !== undefined && <SideFoot current={current} />}
    </header>
  );
}

function SideFoot({ current: { canRead, canWrite } }: { readonly current: Session }) {
  const { isAway } = useValue(connection);
  const access = canRead ? (canWrite ? '' : ', read only') : canWrite ? ', write only' : ', no access to plants';
  return (
    <div class="side-foot">
      <p>
        <span class={isAway ? 'dot dot-bad' : 'dot dot-good'} aria-hidden="true" />
        {isAway ? 'Offline' : `Connected${access}`}
      </p>
      {sandboxIdle !== undefined && <p>{sandboxLine}</p>}
      <a href={`${serviceUrl}/docs`}>API documentation</a>
    </div>
  );
}

interface NavProps {
  readonly view: Exclude<ViewName, 'labels' | 'tokens' | 'webhooks'>;
  readonly children?: ComponentChildren;
}

function NavLink({ view, children }: NavProps) {
  const here = useValue(route).view;
  const parent = here === 'labels' ? 'plants' : here === 'tokens' || here === 'webhooks' ? 'settings' : here;
  return (
    <a
      class={`nav-link nav-${view}`}
      aria-current={parent === view ? 'page' : undefined}
      // From the list itself, it leads to all plants.
      {...toLink(view === 'plants' && here === view ? allPlants : viewChange(view))}
    >
      <Icon name={view} />
      <span>{viewTitles[view]}</span>
      {children}
    </a>
  );
}
