import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react';

export type Tab<Name extends string> = { name: Name; label: string; panel: ReactNode };
type TabsProps<Name extends string> = {
  label: string;
  tabs: readonly Tab<Name>[];
  current: Name;
  onChange: (name: Name) => void;
};

/** Arrow keys move between tabs (ARIA Authoring Practices). A single tab is shown without its tab list. */
export function Tabs<Name extends string>({ label, tabs, current, onChange }: TabsProps<Name>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [only] = tabs;
  if (tabs.length < 2) return only?.panel ?? null;
  const index = Math.max(
    0,
    tabs.findIndex(({ name }) => name === current),
  );
  const go = (next: number) => {
    const target = tabs.at(next % tabs.length);
    if (!target) return;
    onChange(target.name);
    list.current?.querySelector<HTMLElement>(`#${CSS.escape(`${id}-${target.name}`)}`)?.focus();
  };
  const moves: Readonly<Record<string, number>> = {
    ArrowRight: index + 1,
    ArrowLeft: index - 1,
    Home: 0,
    End: tabs.length - 1,
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = moves[event.key];
    if (next === undefined) return;
    event.preventDefault();
    go(next);
  };
  return (
    <div className="gbh-tabs">
      <div className="gbh-tab-list" role="tablist" aria-label={label} ref={list} onKeyDown={onKeyDown}>
        {tabs.map(({ name, label: text }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            aria-selected={name === current}
            aria-controls={`${id}-panel`}
            tabIndex={name === current ? 0 : -1}
            className="gbh-tab"
            onClick={() => onChange(name)}
          >
            {text}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-label={`${label}: ${tabs[index]?.label}`}>
        {tabs[index]?.panel}
      </div>
    </div>
  );
}
