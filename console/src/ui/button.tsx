/** Buttons, in four weights. */
import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icons.tsx';

interface ButtonProps {
  /** `main`: the primary action of a view, once a view. Default `plain`. */
  readonly kind?: 'main' | 'plain' | 'quiet' | 'danger';
  readonly icon?: IconName;
  readonly type?: 'button' | 'submit';
  readonly disabled?: boolean;
  /** In progress: ignores clicks. */
  readonly isBusy?: boolean;
  readonly onClick?: () => void;
  /** Accessible name, for a button that is only an icon. */
  readonly label?: string;
  readonly children?: ComponentChildren;
}

export function Button({
  kind = 'plain',
  icon,
  type = 'button',
  disabled,
  isBusy,
  onClick,
  label,
  children,
}: ButtonProps) {
  return (
    <button
      type={type}
      class={`button button-${kind}${children === undefined ? ' button-bare' : ''}`}
      disabled={disabled === true}
      aria-busy={isBusy === true}
      aria-label={label}
      title={label}
      onClick={() => {
        if (isBusy !== true) onClick?.();
      }}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children !== undefined && <span>{children}</span>}
    </button>
  );
}
