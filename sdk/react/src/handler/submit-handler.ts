/** An `onSubmit` for forms that show their own validation messages. */
export function submitHandler(submit: () => void) {
  return (event: { preventDefault: () => void }) => {
    event.preventDefault();
    submit();
  };
}
