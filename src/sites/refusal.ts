/** The files cannot be published as they are. The message tells their owner why. */
export class PublishRefusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = "PublishRefusal";
  }
}

export function endedByAnother(): PublishRefusal {
  return new PublishRefusal(
    "The deployment was ended from elsewhere before it was complete. Deploy it again.",
  );
}
