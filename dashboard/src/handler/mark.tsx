/** The logo without the dashboard's styles, which these pages do not load. */
export function Brand() {
  return (
    <a href="/" className="handler-brand">
      <svg width="24" height="24" viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="7" fill="#1c7a60" />
        <g fill="none" stroke="#fff" strokeWidth="2.2" strokeLinecap="round" strokeLinejoin="round">
          <path d="M7 25V14.5C7 10.4 10.2 8 16 8s9 2.4 9 6.5V25M16 8v17M4.5 25h23" />
        </g>
        <circle cx="13" cy="17.5" r="1.2" fill="#fff" />
        <circle cx="19" cy="17.5" r="1.2" fill="#fff" />
      </svg>
      Gatebook
    </a>
  );
}

/** The arch behind the card. */
export function Gate() {
  return (
    <svg className="handler-gate" viewBox="-480 0 960 2560" aria-hidden="true">
      {[330, 384, 438].map((radius) => (
        <path key={radius} d={`M${-radius} 2560V330A${radius} ${radius} 0 0 1 ${radius} 330V2560`} />
      ))}
    </svg>
  );
}
