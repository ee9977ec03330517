import * as fns from "date-fns";
import { de, fr, ja } from "date-fns/locale";
import { caught } from "../workflow.mjs";

const at = new Date(2020, 1, 29, 13, 5, 9, 7);
const other = new Date(2021, 11, 31, 23, 59, 59);

export default {
  async "formatting"(print) {
    for (const pattern of ["yyyy-MM-dd'T'HH:mm:ss.SSSxxx", "EEEE, do MMMM yyyy", "h:mm aaaa", "QQQ w I e", "PPPPpppp", "P p", "t T", "'it''s' yy R", "D DDD", "b B", "zzzz OOOO"]) {
      print(pattern, await caught(() => fns.format(at, pattern)));
    }
    for (const locale of [de, fr, ja]) print(fns.format(at, "PPPP p EEEE LLLL", { locale }), fns.formatDistance(at, other, { locale, addSuffix: true }), fns.formatRelative(at, fns.addDays(at, 2), { locale }));
    print(fns.formatISO(at), fns.formatISO9075(at), fns.formatRFC3339(at), fns.formatRFC7231(at), fns.formatISODuration({ hours: 1, minutes: 2 }), fns.formatDuration({ years: 2, days: 1 }), fns.intlFormat(at, { weekday: "long", year: "numeric", month: "long", day: "numeric" }, { locale: "de-DE" }));
    print(await caught(() => fns.format(new Date(NaN), "P")), await caught(() => fns.format(at, "YYYY")));
  },
  "parsing"(print) {
    for (const [text, pattern] of [["2020-02-29 13:05", "yyyy-MM-dd HH:mm"], ["29. Februar 2020", "d. MMMM yyyy"], ["30/02/2020", "dd/MM/yyyy"], ["1:05 PM", "h:mm a"], ["Sat", "EEE"], ["2020-W09-6", "RRRR-'W'II-i"]]) {
      print(text, fns.parse(text, pattern, at, { locale: /\./.test(text) ? de : undefined }));
    }
    print(fns.parseISO("2020-02-29T12:00:00+05:30"), fns.parseISO("20200229"), fns.parseISO("nonsense"), fns.parseJSON("2020-01-01T00:00:00.000Z"), fns.isMatch("29.02.2020", "dd.MM.yyyy"), fns.isValid(fns.parseISO("2021-02-29")));
  },
  "arithmetic"(print) {
    print(fns.addMonths(at, 12), fns.addBusinessDays(at, 10), fns.sub(at, { years: 1, weeks: 2, hours: 3 }), fns.subISOWeekYears(at, 1), fns.setDay(at, 1), fns.set(at, { month: 4, date: 31 }));
    print(fns.startOfWeek(at, { weekStartsOn: 1 }), fns.endOfMonth(at), fns.startOfISOWeek(at), fns.lastDayOfQuarter(at), fns.roundToNearestMinutes(at, { nearestTo: 15 }), fns.nextFriday(at));
    print(fns.differenceInDays(other, at), fns.differenceInBusinessDays(other, at), fns.differenceInCalendarMonths(other, at), fns.intervalToDuration({ start: at, end: other }), fns.getISOWeek(at), fns.getDaysInMonth(at), fns.getDayOfYear(other));
    print(fns.eachWeekOfInterval({ start: at, end: fns.addDays(at, 20) }), fns.eachHourOfInterval({ start: at, end: fns.addHours(at, 3) }, { step: 2 }).length, fns.areIntervalsOverlapping({ start: at, end: other }, { start: other, end: fns.addDays(other, 1) }));
  },
  "comparison"(print) {
    print(fns.isBefore(at, other), fns.isLeapYear(at), fns.isWeekend(at), fns.isSameISOWeek(at, fns.addDays(at, 1)), fns.isWithinInterval(at, { start: 0, end: other }), fns.compareDesc(at, other), fns.max([at, other]), fns.closestTo(at, [other, fns.addDays(at, 1)]), [other, at].sort(fns.compareAsc));
    print(fns.isDate("x"), fns.isExists(2021, 1, 29), fns.clamp(other, { start: at, end: fns.addDays(at, 1) }), fns.toDate(0), fns.fromUnixTime(1), fns.getUnixTime(at), fns.milliseconds({ days: 1 }));
  },
};
