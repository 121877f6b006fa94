/** Icons: one line weight, in the colour of the text around them. They are decoration; a text or a label always says the same. */

const paths = {
  plants:
    'M12 21v-9M12 14c0-4 2.6-6.8 7.5-7C19.7 11.5 17 14.2 12 14ZM12 17.5c0-3.4-2.4-5.9-7.2-6C4.7 15.5 7.5 17.7 12 17.5Z',
  activity: 'M3.5 12.5h4l2.5-7 4.5 13 2.5-6h3.5',
  export: 'M12 4v11M7.5 10.5 12 15l4.5-4.5M4.5 19.5h15',
  key: 'M14.5 9.5a4 4 0 1 1-4-4 4 4 0 0 1 4 4ZM13.4 12.4 20 19M17 16l2-2',
  search: 'M10.5 17a6.5 6.5 0 1 1 0-13 6.5 6.5 0 0 1 0 13ZM15.3 15.3 20 20',
  plus: 'M12 5v14M5 12h14',
  close: 'M6 6l12 12M18 6 6 18',
  tags: 'M4.5 11.8V5.5a1 1 0 0 1 1-1h6.3l7.7 7.7a1.2 1.2 0 0 1 0 1.7l-5.6 5.6a1.2 1.2 0 0 1-1.7 0ZM8.5 8.5v.01',
  label: 'M4 5h6v6H4zM14 5h6v6h-6zM4 15h6v4H4zM14 15h2M20 15v4M16 19h-2',
  bin: 'M5 7h14M10 7V4.5h4V7M7 7l.8 12.5h8.4L17 7M10.5 11v5M13.5 11v5',
  check: 'M5 12.5 10 17.5 19 7',
  alert:
    'M12 8v5M12 16.5v.01M10.7 4.3 3.2 17.5a1.5 1.5 0 0 0 1.3 2.2h15a1.5 1.5 0 0 0 1.3-2.2L13.3 4.3a1.5 1.5 0 0 0-2.6 0Z',
  offline: 'M4 4l16 16M8.5 15.5a5 5 0 0 1 5.5-1M5.5 12.5a9 9 0 0 1 3.5-2.3M12.5 9.2a9 9 0 0 1 6 3.3M12 19v.01',
  file: 'M13.5 4H7a1 1 0 0 0-1 1v14a1 1 0 0 0 1 1h10a1 1 0 0 0 1-1V8.5ZM13.5 4v4.5H18',
  import:
    'M13.5 4H7a1 1 0 0 0-1 1v14a1 1 0 0 0 1 1h10a1 1 0 0 0 1-1V8.5ZM13.5 4v4.5H18M12 17v-6M9.5 13.5 12 11l2.5 2.5',
  back: 'M19 12H5M11 6l-6 6 6 6',
  print:
    'M7 9V4h10v5M7 17H5a1 1 0 0 1-1-1v-5.5a1.5 1.5 0 0 1 1.5-1.5h13a1.5 1.5 0 0 1 1.5 1.5V16a1 1 0 0 1-1 1h-2M7.5 14h9v6h-9z',
  edit: 'M4.5 19.5h4L19 9l-4-4L4.5 15.5ZM12.5 7.5l4 4',
  copy: 'M9 9h10.5v10.5H9zM15 9V4.5H4.5V15H9',
  restore: 'M4.5 5v5h5M5 10a7.5 7.5 0 1 1-.4 4.5',
  webhooks: 'M4 12h10M10.5 8 14.5 12l-4 4M18.5 4.5v15',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}

/** The logo. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="9" class="mark-ground" />
      <path d="M16 25.5V14" class="mark-stem" />
      <path d="M16 17c0-5 3.4-8.4 9.5-8.6C25.7 14 22 17.3 16 17Z" class="mark-leaf" />
      <path d="M16 21c0-4.2-3-7.2-9-7.4C6.8 18.5 10.5 21.3 16 21Z" class="mark-leaf-near" />
    </svg>
  );
}

/** For empty states: an empty pot. */
export function EmptyPot() {
  return (
    <svg class="drawing" viewBox="0 0 120 104" aria-hidden="true" focusable="false">
      <path class="drawing-soil" d="M14 92h92" />
      <path class="drawing-pot" d="M38 54h44l-5 38H43ZM34 45h52v9H34Z" />
      <path class="drawing-stem" d="M60 45V26" />
      <path class="drawing-leaf" d="M60 32c0-11 7-18 20-18.5C80.5 25 73 32.5 60 32Z" />
      <path class="drawing-leaf" d="M60 40c0-9-6-15-17-15.3C42.7 34.5 49 40.5 60 40Z" />
    </svg>
  );
}
