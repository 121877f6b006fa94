/** Buttons: one shape, four weights. */
import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icons.tsx';

interface ButtonProps {
  /** `main`: what the view is for, once a view. Default `plain`. */
  readonly kind?: 'main' | 'plain' | 'quiet' | 'danger';
  readonly icon?: IconName;
  readonly type?: 'button' | 'submit';
  readonly disabled?: boolean;
  /** Work is under way: it stays where it is and takes no click. */
  readonly isBusy?: boolean;
  readonly onClick?: () => void;
  /** For an icon alone: what a screen reader says. */
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
