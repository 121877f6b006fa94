/** What a view says instead of its content: nothing here, not allowed, gone wrong. Always with a way on. */
import type { ComponentChildren } from 'preact';
import { EmptyPot } from './icons.tsx';

interface NoticeProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Buttons and links that lead on. */
  readonly actions?: ComponentChildren;
  readonly isAlert?: boolean;
}

export function Notice({ title, children, actions, isAlert = false }: NoticeProps) {
  return (
    <div class="notice" role={isAlert ? 'alert' : undefined}>
      <EmptyPot />
      <h2>{title}</h2>
      <div class="notice-text">{children}</div>
      {actions !== undefined && <div class="notice-actions">{actions}</div>}
    </div>
  );
}

/** Why a token without the scope does not see something. */
export function ScopeNotice({
  needs,
  what,
}: {
  readonly needs: 'plants:read' | 'plants:write';
  readonly what: string;
}) {
  return (
    <Notice title={`This token may not ${what}`}>
      <p>
        It lacks the scope <code>{needs}</code>. Whoever runs the service can make another one:
      </p>
      <pre class="command" tabIndex={0}>
        <code>npm run -s plant-store -- token create --name me --scope {needs}</code>
      </pre>
    </Notice>
  );
}
