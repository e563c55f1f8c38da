/** For forms whose faults are said by the page, not by the browser. */
export function asSubmit(submit: () => void) {
  return (event: { preventDefault: () => void }) => {
    event.preventDefault();
    submit();
  };
}
