/** Reasons and small stories around a request. They ask for nothing and mention no value. */
import { pick } from "../draw.ts";
import { lines } from "./action.ts";
import { chance, type Drawing, pickOfSplit } from "./drawing.ts";

/** Sentences before a request. */
const BEFORE = lines(`
  I am in a hurry.
  I have just come out of a long talk.
  My boss is waiting for this.
  I am cleaning up today.
  I am new here.
  My phone is nearly empty, so I will be short.
  The auditors are here.
  I promised it to my sister.
  We talked about it at lunch.
  Things have changed.
  Plans have changed again.
  I have thought about it all night.
  It rained the whole week and everything is late.
  My train is late, so I have some time now.
  I am on the road at the moment.
  My kids are asleep at last.
  The weather is awful.
  We are a small team.
  I am getting things in order before the holidays.
  I could not do it on my own.
  The office closes soon.
  The customer just called.
  My neighbor is on vacation and I am helping out.
  I made a mistake yesterday.
  The teacher asked for it.
  The lawyer told us to be careful.
  Our trainer wants it that way.
  The harvest starts soon.
  The ship leaves in the evening.
  The line stands still.
  The museum opens again soon.
  The choir has a busy week.
  We are short of staff.
  I am packing my things.
  I do not have my glasses here.
  We have guests this weekend.
  I read the rules again.
  It took me a while to decide.
  My partner agrees.
  The budget is tight this year.
  The doctor said so.
  I am sitting in the kitchen.
  There was a misunderstanding.
  The city sent me a letter.
  I have only a minute.
  Last year it was a mess.
  Nobody else is here today.
  I am not good with computers.
  It is a sad story.
  Good news, we can go on.
  I spoke with the landlord.
  The crew is ready.
  The lab is closed tomorrow.
  It has been a long day.`);

/** Sentences after a request. */
const AFTER = lines(`
  I am in a hurry.
  It matters a lot to me.
  My boss wants it that way.
  The others have agreed.
  I will explain it later.
  It has to be right this time.
  I do not want to do it by hand.
  We talked about it yesterday.
  The customer is waiting.
  The team needs it.
  That is all for now.
  I hope that works.
  My family will be happy.
  Otherwise we get into trouble.
  I should have done it last week.
  It is for a friend.
  The school wants it so.
  The law says so.
  The coach insists on it.
  It makes things easier for us.
  Somebody asked about it.
  You would save me a lot of time.
  I cannot reach the computer right now.
  I forgot it twice already.
  It is a surprise for my mother.
  We want to be ready for the season.
  The farm cannot wait.
  The captain wants it done before we sail.
  The shift ends soon.
  I am responsible for it.
  Better late than never.
  It is the last thing for today.
  I have checked it twice.
  Everybody keeps asking.
  It is part of my job.
  The board decided it.
  We do it every year.
  Sorry for the trouble.
  No need to explain anything.
  I trust you.`);

/** Sentences after a question. */
const AFTER_QUESTION = lines(`
  I am curious.
  I forgot.
  I cannot remember.
  A customer wants to know.
  My boss asked me.
  I have to tell my sister.
  I need it for my notes.
  I want to be sure.
  We were just talking about it.
  I lost my list.
  They asked me on the phone.
  I would like to plan my week.
  Nobody here can tell me.
  I need it for the report to the board.
  My neighbor would like to know.
  I should know it, but I do not.
  I have no idea.
  It is for the minutes.`);

/** Beginnings of the request's own sentence. */
const LEADS = lines(`
  My boss is waiting, so
  I am in a hurry, so
  We have guests soon, so
  The plans have changed, so
  I am driving, so
  My hands are full, so
  Since I am away today,
  Because the customer asked for it,
  As I have no time,
  Before the others arrive,
  Before I go home,
  While I make coffee,
  Since the office closes soon,
  Because it slipped my mind,
  As the doctor told me,
  Now that the rain has stopped,
  Since nobody else does it,
  For the sake of order,
  To be on the safe side,
  To keep things tidy,
  To make my sister happy,
  So that I can sleep well,
  As discussed,
  After the talk with my teacher I know what to do:`);

const closed = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);

/** Whether it is an imperative that can go on after "so": it begins with a small letter. */
const canFollow = (text: string): boolean =>
  /^(?:please )?[a-z]/.test(text) &&
  !/^(?:hi|hey|yo|hello|ok|so|well|now|next|dear|task|to do|i|i'd)\b/.test(text);

/** Every fourth request has a reason before it or after it. */
export function withReason(drawing: Drawing, request: string, reads: boolean): string {
  if (!chance(drawing, 0.25)) return request;
  const after = () => pickOfSplit(drawing, reads ? AFTER_QUESTION : AFTER);
  return pick(drawing.random, [
    () => `${pickOfSplit(drawing, BEFORE)} ${request.charAt(0).toUpperCase()}${request.slice(1)}`,
    () => `${closed(request)} ${after()}`,
    () =>
      canFollow(request)
        ? `${pickOfSplit(drawing, LEADS)} ${request}`
        : `${closed(request)} ${after()}`,
  ])();
}
