/** A view that manages things of the service: all of them, and beside them the form that adds one. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../ui/button.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { TitledModal } from '../ui/modal.tsx';
import { Notice } from './notice.tsx';
import { toReason } from './reasons.ts';
import { Secrets } from './secrets.tsx';
import type { Loaded } from './use-loaded.ts';
import { View } from '../ui/view.tsx';

interface ViewProps<Item> {
  readonly name: 'tokens' | 'webhooks';
  /** Completes "New ...". */
  readonly one: string;
  readonly intro: ComponentChildren;
  readonly loaded: Loaded<readonly Item[]>;
  readonly form: ComponentChildren;
  readonly children: (item: Item) => ComponentChildren;
}

export function ManagedView<Item extends { readonly id: string }>(props: ViewProps<Item>) {
  const { name, one, intro, loaded, form, children } = props;
  const { value, error, reload } = loaded;
  const [isAdding, setAdding] = useState(false);
  const add = (
    <Button kind="main" icon="plus" onClick={() => setAdding(true)}>
      New {one}
    </Button>
  );
  return (
    <View name={name} back="settings" head={add}>
      <div class="managed scroll" tabIndex={0} role="region" aria-label={`All ${name}`}>
        {value?.length === 0 ? (
          <Notice icon="webhooks" title={`No ${name} yet`}>
            <p>{intro}</p>
          </Notice>
        ) : (
          <p class="soft">{intro}</p>
        )}
        {isAdding && (
          <TitledModal label={`New ${one}`} kind="side-panel" onClose={() => setAdding(false)}>
            {() => form}
          </TitledModal>
        )}
        <Secrets kind={name === 'tokens' ? 'token' : 'secret'} />
        {error !== undefined && <LoadFailed what={`the ${name}`} reason={toReason(error)} onRetry={reload} />}
        <ul aria-busy={value === undefined && error === undefined}>
          {value?.map((item) => (
            <li key={item.id} class="managed-item">
              {children(item)}
            </li>
          ))}
        </ul>
      </div>
    </View>
  );
}
