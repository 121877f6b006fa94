/** What a view shows in place of its content: empty, nothing found, not allowed, failed. It always offers a next step. */
import type { ComponentChildren } from 'preact';
import { sandboxIdle } from './sandbox.ts';
import { scopeNames, tokenCommand } from './scopes.ts';
import { type Scope, useSession } from './session.ts';
import { Command } from '../ui/command.tsx';
import { Drawing, Icon, type IconName } from '../ui/icons.tsx';

interface NoticeProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** Absent: an empty pot. The bin and the search are drawings, too. */
  readonly icon?: IconName;
}

export function Notice({ title, children, actions, icon }: NoticeProps) {
  return (
    <div class="notice">
      {icon === undefined || icon === 'bin' || icon === 'search' ? (
        <Drawing name={`empty-${icon ?? 'pot'}`} />
      ) : (
        <span class={`notice-icon notice-${icon}`}>
          <Icon name={icon} />
        </span>
      )}
      <h2>{title}</h2>
      <div class="notice-text">{children}</div>
      {actions !== undefined && <div class="notice-actions">{actions}</div>}
    </div>
  );
}

/** Why a token without the scope cannot use a view, and how to get one that can. */
export function ScopeNotice({ needs }: { readonly needs: Scope }) {
  const { own } = useSession();
  // What the token can do already must not be lost.
  const scopes = [...(own?.scopes ?? []), needs];
  return (
    <Notice icon="key" title={`This token cannot ${scopeNames[needs].toLowerCase()}`}>
      {sandboxIdle === undefined ? (
        <>
          <p>Create a token that can, on the computer that runs the service:</p>
          <Command text={tokenCommand(scopes)} what="the command" />
        </>
      ) : (
        <p>A sandbox has plants only. Start a service of your own to do this.</p>
      )}
    </Notice>
  );
}
