"""By-lines between a headline and its text, in the words of many languages: they give author and day,
and are no part of the body. Nothing marks them, so only their words and their place tell."""

from __future__ import annotations

import pytest

import sitecrawl

# fmt: off
PROSE = {
    "en": [
        "The gauge at the bridge has reported the height of the river every hour since 2009, and it was wrong.",
        "Nobody noticed, because the error was the same in drought and in flood, says the engineer of the board.",
        "A student compared the readings with pictures that an angler had taken from the same spot each morning.",
    ],
    "ar": [
        "ظل مقياس الماء على الجسر القديم يسجل ارتفاع النهر كل ساعة منذ خمسة عشر عاما دون أن يلاحظ أحد الخطأ.",
        "قال المهندس المشرف إن الخطأ كان ثابتا في الجفاف وفي الفيضان ولذلك لم ينتبه إليه أحد من العاملين.",
        "قارنت طالبة القراءات بصور التقطها صياد من المكان نفسه كل صباح فاكتشفت الفرق.",
    ],
    "fa": [
        "اندازه‌گیر آب روی پل قدیمی از پانزده سال پیش هر ساعت ارتفاع رودخانه را ثبت می‌کرد و کسی متوجه خطا نشد.",
        "مهندس ناظر گفت که خطا در خشکسالی و سیلاب یکسان بود و به همین دلیل هیچ کس آن را ندید.",
        "دانشجویی داده‌ها را با عکس‌های یک ماهیگیر مقایسه کرد و تفاوت را یافت.",
    ],
    "ko": [
        "다리 위의 수위계는 십오 년 동안 매시간 강의 높이를 기록했지만 아무도 오류를 알아채지 못했다.",
        "담당 기술자는 가뭄과 홍수 때 오차가 같아서 아무도 발견하지 못했다고 말했다.",
        "한 학생이 낚시꾼이 매일 아침 같은 자리에서 찍은 사진과 기록을 비교했다.",
    ],
    "ja": [
        "橋の水位計は十五年のあいだ毎時間、川の高さを記録してきたが、誰も誤りに気づかなかった。",
        "担当の技師によると、渇水のときも洪水のときも誤差が同じだったため、見過ごされたという。",
        "学生が釣り人の撮った毎朝の写真と記録を比べて、その違いを見つけた。",
    ],
    "zh": [
        "桥上的水位计十五年来每小时记录一次河水的高度，却没有人发现其中的错误，直到今年春天。",
        "负责的工程师说，无论干旱还是洪水，误差都一样，所以谁也没有注意到这个问题。",
        "一名学生把读数与钓鱼人每天早晨在同一地点拍摄的照片作了比较，发现了差别。",
    ],
    "th": [
        "มาตรวัดน้ำบนสะพานเก่าบันทึกความสูงของแม่น้ำทุกชั่วโมงมาสิบห้าปีโดยไม่มีใครสังเกตเห็นความผิดพลาด",
        "วิศวกรผู้ดูแลกล่าวว่าความคลาดเคลื่อนเท่ากันทั้งในหน้าแล้งและหน้าน้ำจึงไม่มีใครรู้",
        "นักศึกษาคนหนึ่งเปรียบเทียบค่ากับภาพถ่ายของคนตกปลาที่ถ่ายทุกเช้าจากจุดเดียวกัน",
    ],
    "vi": [
        "Thước đo trên cây cầu cũ ghi lại mực nước sông mỗi giờ từ mười lăm năm nay mà không ai nhận ra sai số.",
        "Kỹ sư phụ trách nói rằng sai số giống nhau khi hạn hán và khi lũ lụt nên không ai để ý đến.",
        "Một sinh viên đã so sánh số liệu với những bức ảnh mà người câu cá chụp mỗi sáng.",
    ],
    "tr": [
        "Köprüdeki su ölçeri on beş yıldır her saat nehrin yüksekliğini kaydediyordu ve kimse hatayı fark etmedi.",
        "Sorumlu mühendis hatanın kuraklıkta da selde de aynı olduğunu, bu yüzden görülmediğini söyledi.",
        "Bir öğrenci değerleri her sabah aynı yerden çekilen fotoğraflarla karşılaştırdı.",
    ],
    "pl": [
        "Wodowskaz na starym moście od piętnastu lat co godzinę zapisywał wysokość rzeki i nikt nie zauważył błędu.",
        "Inżynier powiedział, że błąd był taki sam podczas suszy i powodzi, dlatego nikt go nie dostrzegł.",
        "Studentka porównała odczyty ze zdjęciami, które wędkarz robił każdego ranka.",
    ],
    "ru": [
        "Водомер на старом мосту пятнадцать лет каждый час записывал высоту реки, и никто не замечал ошибки.",
        "Инженер сказал, что ошибка была одинаковой и в засуху, и в паводок, поэтому её никто не видел.",
        "Студентка сравнила показания с фотографиями, которые рыбак делал каждое утро.",
    ],
    "hi": [
        "पुराने पुल पर लगा जलमापी पंद्रह वर्षों से हर घंटे नदी की ऊँचाई दर्ज करता रहा और किसी ने गलती नहीं देखी।",
        "अभियंता ने कहा कि सूखे और बाढ़ दोनों में त्रुटि एक जैसी थी, इसलिए किसी का ध्यान नहीं गया।",
        "एक छात्रा ने आँकड़ों की तुलना मछुआरे की तस्वीरों से की।",
    ],
    "de": [
        "Der Pegel an der Brücke hat seit 2009 jede Stunde die Höhe des Flusses gemeldet, und er lag falsch.",
        "Niemand merkte es, weil der Fehler bei Dürre und Hochwasser der gleiche war, sagt die Ingenieurin.",
        "Eine Studentin verglich die Werte mit Bildern, die ein Angler jeden Morgen gemacht hatte.",
    ],
}
TITLES = {
    "en": "A gauge and its error",
    "ar": "مقياس الجسر القديم وخطؤه",
    "fa": "اندازه‌گیر پل و خطای آن",
    "ko": "다리의 수위계와 그 오차",
    "ja": "橋の水位計の誤り",
    "zh": "桥上水位计的误差",
    "th": "มาตรวัดน้ำบนสะพาน",
    "vi": "Thước đo trên cầu",
    "tr": "Köprüdeki ölçer",
    "pl": "Wodowskaz na moście",
    "ru": "Водомер на мосту",
    "hi": "पुल का जलमापी",
    "de": "Der Pegel an der Brücke",
}
CASES = [
    ("ar", "<div class=info><span>كتب: سامي الحداد</span><span>الثلاثاء 12 مارس 2024</span></div>", ["سامي الحداد"], "2024-03-12"),
    ("ar", "<p>إعداد: ليلى منصور - 12 مارس 2024</p>", ["ليلى منصور"], "2024-03-12"),
    ("ar", "<ul><li>بقلم/ ليلى منصور</li><li>نشر في: 12-03-2024</li></ul>", ["ليلى منصور"], "2024-03-12"),
    ("ar", "<div>تحرير: هالة عمر | كتابة: ليلى منصور</div><time>2024/03/12</time>", ["ليلى منصور"], "2024-03-12"),
    ("fa", "<div class=meta>گزارش از: مریم کاویانی | ۲۲ اسفند ۱۴۰۲</div>", ["مریم کاویانی"], "2024-03-12"),
    ("fa", "<p>به قلم مریم کاویانی</p><span>تاریخ انتشار: ۱۴۰۲/۱۲/۲۲</span>", ["مریم کاویانی"], "2024-03-12"),
    ("fa", "<p>خبرنگار: مریم کاویانی</p><span>۲۲ اسفند ۱۴۰۲ - ۱۰:۳۰</span>", ["مریم کاویانی"], "2024-03-12"),
    ("fa", "<p>مترجم: رضا امینی، نویسنده: مریم کاویانی</p>", ["مریم کاویانی"], None),
    ("ko", "<div class=byline>김민수 기자 | 입력 2024.03.12 10:30 | 수정 2024.03.13 08:00</div>", ["김민수"], "2024-03-12"),
    ("ko", "<p>[한강일보 김민수 기자]</p><span>등록 2024-03-12 10:30</span>", ["김민수"], "2024-03-12"),
    ("ko", "<p>김민수·이영희 기자 minsu@hangang.example</p><em>승인 2024.03.12 10:30</em>", ["김민수", "이영희"], "2024-03-12"),
    ("ja", "<p>文＝松川太一　写真＝岡野花</p><p>2024年3月12日 10時30分</p>", ["松川太一"], "2024-03-12"),
    ("ja", "<p>ライター：松川太一</p><p>公開日：2024/3/12　更新日：2024/3/13</p>", ["松川太一"], "2024-03-12"),
    ("ja", "<p>記者　松川太一</p><p>令和6年3月12日</p>", ["松川太一"], "2024-03-12"),
    ("zh", "<div>作者：王小明 李大海　编辑：陈芳　发布时间：2024年03月12日</div>", ["王小明", "李大海"], "2024-03-12"),
    ("zh", "<p>文/王小明 图/李大海</p><p>2024-03-12</p>", ["王小明"], "2024-03-12"),
    ("zh", "<p>【記者王小明／台北報導】</p><p>2024/03/12 10:30</p>", ["王小明"], "2024-03-12"),
    ("zh", "<p>撰文：王小明　攝影：李大海</p><p>發佈於 2024.03.12</p>", ["王小明"], "2024-03-12"),
    ("th", "<p>ผู้เขียน: สมชาย ใจดี</p><p>เผยแพร่ 12 มีนาคม 2567</p>", ["สมชาย ใจดี"], "2024-03-12"),
    ("th", "<p>เรื่อง: สมชาย ใจดี ภาพ: มานี มีนา</p><p>12 มี.ค. 2567 10:30 น.</p>", ["สมชาย ใจดี"], "2024-03-12"),
    ("vi", "<p>Tác giả: Nguyễn Văn An</p><p>Thứ ba, 12/03/2024 10:30 (GMT+7)</p>", ["Nguyễn Văn An"], "2024-03-12"),
    ("vi", "<p>Bài: Nguyễn Văn An - Ảnh: Trần Thị Bình</p><p>Đăng lúc 10:30 ngày 12/03/2024</p>", ["Nguyễn Văn An"], "2024-03-12"),
    ("vi", "<p>PV Nguyễn Văn An</p><p>Ngày đăng: 12-03-2024</p>", ["Nguyễn Văn An"], "2024-03-12"),
    ("tr", "<p>Haber: Ayşe Yılmaz - Fotoğraf: Mehmet Kaya</p><p>Yayınlanma: 12.03.2024 - 10:30</p>", ["Ayşe Yılmaz"], "2024-03-12"),
    ("tr", "<p>Muhabir: Ayşe Yılmaz / İHA</p><p>Eklenme Tarihi: 12 Mart 2024</p>", ["Ayşe Yılmaz"], "2024-03-12"),
    ("pl", "<p>Tekst: Anna Nowak, zdjęcia: Jan Kowalski</p><p>Opublikowano: 12 marca 2024</p>", ["Anna Nowak"], "2024-03-12"),
    ("pl", "<p>Autor: Anna Nowak | Data publikacji: 12.03.2024</p>", ["Anna Nowak"], "2024-03-12"),
    ("pl", "<p>Opracowała: Anna Nowak</p><p>dodano: 12.03.2024 10:30</p>", ["Anna Nowak"], "2024-03-12"),
    ("pl", "<p>Napisane przez Anna Nowak, 12 marca 2024</p>", ["Anna Nowak"], "2024-03-12"),
    ("ru", "<p>Автор: Анна Петрова, фото: Иван Сидоров</p><p>12 марта 2024, 10:30</p>", ["Анна Петрова"], "2024-03-12"),
    ("ru", "<p>Корреспондент Анна Петрова</p><p>Опубликовано 12.03.2024</p>", ["Анна Петрова"], "2024-03-12"),
    ("ru", "<p>Подготовила Анна Петрова</p><p>12.03.24 в 10:30</p>", ["Анна Петрова"], "2024-03-12"),
    ("hi", "<p>लेखक: राजेश शर्मा</p><p>प्रकाशित: 12 मार्च 2024</p>", ["राजेश शर्मा"], "2024-03-12"),
    ("hi", "<p>राजेश शर्मा द्वारा</p><p>12 मार्च 2024, 10:30 AM</p>", ["राजेश शर्मा"], "2024-03-12"),
    ("hi", "<p>संवाददाता राजेश शर्मा</p><p>अपडेटेड: 12 मार्च 2024</p>", ["राजेश शर्मा"], "2024-03-12"),
    ("hi", "<p>रिपोर्ट: राजेश शर्मा | Edited by: सीमा वर्मा</p><p>12 मार्च 2024</p>", ["राजेश शर्मा"], "2024-03-12"),
    ("en", "<p>Words: Ann Onym | Pictures: Bo Derr</p><p>Updated 13 March 2024 | First published 12 March 2024</p>", ["Ann Onym"], "2024-03-12"),
    ("en", "<p>Ann Onym, Staff Writer</p><p>March 12, 2024 | 10:30 a.m. EST</p>", ["Ann Onym"], "2024-03-12"),
    ("en", "<p>by Ann Onym and Bo Derr, Associated Writers Agency</p><p>Tue 12 Mar 2024 10.30 GMT</p>", ["Ann Onym", "Bo Derr"], "2024-03-12"),
    ("en", "<p>Story by <a href=/x>Ann Onym</a>; photographs by Bo Derr</p><p>12/03/2024 22:15 BST</p>", ["Ann Onym"], "2024-03-12"),
    ("en", "<p>Posted by ann_onym on March 12th, 2024 at 10:30</p>", ["ann_onym"], "2024-03-12"),
    ("de", "<p>Text: Anna Beispiel, Fotos: Ben Muster</p><p>Stand: 13.03.2024, erschienen am 12.03.2024</p>", ["Anna Beispiel"], "2024-03-12"),
    ("de", "<p>Ein Beitrag von Anna Beispiel</p><p>Dienstag, 12. März 2024, 10:30 Uhr</p>", ["Anna Beispiel"], "2024-03-12"),
    ("de", "<p>Anna Beispiel/dpa</p><p>Veröffentlicht: 12.03.24</p>", ["Anna Beispiel"], "2024-03-12"),
]
# fmt: on


@pytest.mark.parametrize(("language", "line", "names", "day"), CASES)
def test_a_line_of_names_and_days_above_the_text(
    language: str, line: str, names: list[str], day: str | None
) -> None:
    title = TITLES[language]
    text = "".join([f"<p>{paragraph}</p>" for paragraph in PROSE[language]])
    article = sitecrawl.extract(
        html=f"<html lang={language}><head><meta charset=utf-8><title>{title}</title></head><body>"
        f"<header><a href=/>Home</a></header><main><article><h1>{title}</h1>{line}"
        f"<div>{text}</div></article></main></body></html>",
        url="https://news.example/articles/gauge",
    )
    assert [author["name"] for author in article.authors] == names
    assert (article.datePublished or "")[:10] == (day or "")
    assert article.articleBody.split("\n") == PROSE[language]
    assert article.headline == title
